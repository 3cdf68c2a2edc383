import type { AnswerFormat, ChatRequest, ToolChoice } from '../../../core/chat/chat-request.ts';
import { invalidRequest } from '../../invalid-request.ts';
import { levelMembers } from '../../priced-fields.ts';
import { effortOf } from '../../effort.ts';
import { type RequestEncoding, translate } from '../../translate.ts';
import type { WireObject } from '../../wire-value.ts';
import { encodeInput } from './encode-input.ts';
import { isPassedOn, ownBody } from './own-body.ts';

export interface ResponsesRequestEncoding extends RequestEncoding {
  readonly effortHigh: string;
  readonly effortMax: string;
  /** Whether the end-user label is not sent to the provider. */
  readonly keepsUser?: boolean;
  /** The key of the conversation. The provider uses it to cache its turns together. */
  readonly cacheKey?: string | undefined;
}

export const responsesTemperatureMax = 2;

/** A client's own body is changed only where necessary. Any other is built from core. The provider stores nothing. */
export function encodeResponsesRequest(request: ChatRequest, encoding: ResponsesRequestEncoding): string {
  if (isPassedOn(request)) return JSON.stringify(ownBody(request, encoding));
  const { temperature } = translate(request, { ...encoding, temperatureMax: responsesTemperatureMax });
  if (request.stop.length > 0 && encoding.untranslatable !== 'drop') throw stopNotSupported();
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
    ...Object.fromEntries(levelMembers(request)),
    store: false,
    stream: true,
  });
}

const labelMax = 64;

function encodeTool({ name, description, parameters, strict }: ChatRequest['tools'][number]): WireObject {
  // The format requires a schema and the field `strict`.
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

/** Nothing unless requested, if the model cannot reason or the client's format could have requested it. */
function encodeReasoning(request: ChatRequest, encoding: ResponsesRequestEncoding): WireObject | undefined {
  const { thinking, thinkingBudget, effort, wire, defaultEffort = 'high' } = request;
  if (thinking === 'disabled') return encoding.thinkingCapable ? { effort: 'none' } : undefined;
  const isRequested = thinking === 'enabled' || effort !== undefined;
  if (!isRequested && (!encoding.thinkingCapable || wire.format === 'messages')) return undefined;
  const level = effort ?? (thinkingBudget === undefined ? defaultEffort : effortOf(thinkingBudget));
  return { effort: level === 'max' ? encoding.effortMax : encoding.effortHigh, summary: 'auto' };
}

function stopNotSupported() {
  const rule = 'cannot be translated: the format of the model’s provider has no stop sequences. Leave it out';
  return invalidRequest([{ path: ['stop'], rule }]);
}
