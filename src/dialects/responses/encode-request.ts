import type { AnswerFormat, ChatRequest, ToolChoice } from '../../core/chat-request.ts';
import type { Untranslatable } from '../../core/model.ts';
import { invalidRequest } from '../invalid-request.ts';
import { effortOf } from '../thinking-budget.ts';
import { translated } from '../untranslatable.ts';
import type { WireObject } from '../wire-value.ts';
import { encodeInput } from './encode-input.ts';
import { isPassedOn, ownBody } from './own-body.ts';

export interface ResponsesRequestEncoding {
  /** The model's name at the provider. */
  readonly model: string;
  /** The cap that goes up, whatever the client asked for; `undefined` sends none. */
  readonly maxTokens: number | undefined;
  readonly thinkingCapable: boolean;
  /** The provider's words for the two efforts. */
  readonly effortHigh: string;
  readonly effortMax: string;
  /** Whether the end-user label stays here. */
  readonly keepsUser?: boolean;
  /** The name of the conversation, by which the provider keeps its turns together. */
  readonly cacheKey?: string | undefined;
  /** What becomes of what the format has no word for. */
  readonly untranslatable?: Untranslatable | undefined;
}

export const responsesTemperatureMax = 2;

/**
 * The body for a provider's responses endpoint: the client's own, changed only where it must be, or one built from the
 * core for a client of another format, which always streams. Nothing is kept at the provider: the gateway keeps it.
 */
export function encodeResponsesRequest(request: ChatRequest, encoding: ResponsesRequestEncoding): string {
  if (isPassedOn(request)) return JSON.stringify(ownBody(request, encoding));
  const { temperature } = translated(request, { ...encoding, temperatureMax: responsesTemperatureMax });
  if (request.stop.length > 0 && encoding.untranslatable !== 'drop') throw noStop();
  const { instructions, input } = encodeInput(request.messages);
  const hasTools = request.tools.length > 0;
  return JSON.stringify({
    model: encoding.model,
    instructions,
    tools: hasTools ? request.tools.map(encodeTool) : undefined,
    tool_choice: hasTools ? encodeToolChoice(request.toolChoice) : undefined,
    parallel_tool_calls: hasTools && request.parallelToolCalls === false ? false : undefined,
    input,
    text: request.answerFormat && { format: encodeFormat(request.answerFormat) },
    reasoning: encodeReasoning(request, encoding),
    include: ['reasoning.encrypted_content'],
    max_output_tokens: encoding.maxTokens,
    temperature,
    top_p: request.topP,
    safety_identifier: encoding.keepsUser === true ? undefined : request.userId?.slice(0, labelMax),
    prompt_cache_key: encoding.cacheKey,
    store: false,
    stream: true,
  });
}

/** The longest label the format takes. */
const labelMax = 64;

function encodeTool({ name, description, parameters, strict }: ChatRequest['tools'][number]): WireObject {
  // The format demands a schema and a word about how strictly it is kept.
  return { type: 'function', name, description, parameters: parameters ?? noParameters, strict: strict ?? false };
}

const noParameters = { type: 'object', properties: {} };

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice;
}

function encodeFormat(format: AnswerFormat): WireObject {
  if (format === 'json') return { type: 'json_object' };
  const { name = 'answer', schema, strict } = format;
  return { type: 'json_schema', name, schema, strict };
}

/** Nothing is said to a model that cannot think, nor for a client that has not asked where its own format asks. */
function encodeReasoning(request: ChatRequest, encoding: ResponsesRequestEncoding): WireObject | undefined {
  const { thinking, thinkingBudget, effort, wire, defaultEffort = 'high' } = request;
  if (thinking === 'disabled') return encoding.thinkingCapable ? { effort: 'none' } : undefined;
  const isAsked = thinking === 'enabled' || effort !== undefined;
  if (!isAsked && (!encoding.thinkingCapable || wire.format === 'messages')) return undefined;
  const wanted = effort ?? (thinkingBudget === undefined ? defaultEffort : effortOf(thinkingBudget));
  return { effort: wanted === 'max' ? encoding.effortMax : encoding.effortHigh, summary: 'auto' };
}

function noStop() {
  const rule = 'cannot be translated: the format of the model’s provider has no stop sequences. Leave it out';
  return invalidRequest([{ path: ['stop'], rule }]);
}
