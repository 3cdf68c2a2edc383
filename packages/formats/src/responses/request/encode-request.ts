import type { AnswerFormat, ChatRequest, ToolChoice } from '../../chat/chat-request.ts';
import { invalidRequest, fieldName, type FieldPath } from '../../invalid-request.ts';
import { levelMembers, withoutPricedFields } from '../../priced-fields.ts';
import { effortOf } from '../../effort.ts';
import { type RequestEncoding, translate } from '../../translate.ts';
import { type WireObject, isObject, listOf, nonEmptyString } from '../../wire-value.ts';
import { encodeInput } from './encode-input.ts';
import { defaultMaxUses } from './provider-tools.ts';
import { toolItemTypes } from './declared-tools.ts';
import { isSealedHere } from '../reasoning-item.ts';

export interface ResponsesRequestEncoding extends RequestEncoding {
  /** Whether the provider takes reasoning settings that the client did not send. */
  readonly thinkingDefaults: boolean;
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
  const takesDefaults = encoding.thinkingCapable && encoding.thinkingDefaults;
  if (!isRequested && (!takesDefaults || wire.format === 'messages')) return undefined;
  const level = effort ?? (thinkingBudget === undefined ? defaultEffort : effortOf(thinkingBudget));
  return { effort: level === 'max' ? encoding.effortMax : encoding.effortHigh, summary: 'auto' };
}

function stopNotSupported() {
  const rule = 'cannot be translated: the format of the model’s provider has no stop sequences. Leave it out';
  return invalidRequest([{ path: ['stop'], rule }]);
}

/** Whether a provider of the same format can get the client's body: not with a summary sealed by this gateway. */
export function isPassedOn({ wire }: ChatRequest): boolean {
  if (wire.format !== 'responses') return false;
  return !listOf(wire.body['input']).some(
    (item) => isObject(item) && item.type !== 'reasoning' && isSealedByGateway(item),
  );
}

type OwnBodyEncoding = Pick<RequestEncoding, 'model' | 'maxTokens'> & { readonly cacheKey?: string | undefined };

/**
 * Returns the client's body with its fields in their order, including unknown fields. The gateway stores responses, so
 * the provider stores nothing and receives complete conversations. Tools and features without a price, and reasoning
 * that the provider could not open, are removed.
 */
function ownBody(request: ChatRequest, { model, maxTokens, cacheKey }: OwnBodyEncoding): WireObject {
  const { wire, providerTools, further = [] } = request;
  const level = Object.fromEntries(levelMembers(request));
  const body: Record<string, unknown> = { ...withoutPricedFields(wire.body), ...level, model, store: false };
  for (const name of gatewayFields) delete body[name];
  if (maxTokens !== undefined) body['max_output_tokens'] = maxTokens;
  if (cacheKey !== undefined) body['prompt_cache_key'] ??= cacheKey;
  const pricedFields = new Set(providerTools.map(({ field }) => field));
  const input = wire.body['input'];
  if (Array.isArray(input)) {
    body['input'] = input
      .map((item: unknown, at) => withAllowedTools(item, at, pricedFields))
      .filter((item) => !isObject(item) || !isSealedByGateway(item));
  }
  if (further.length > 0) body['input'] = [...itemsOf(body['input']), ...encodeInput(further).input];
  if (Array.isArray(wire.body['tools'])) {
    body['tools'] = allowedTools(wire.body['tools'], ['tools'], pricedFields);
    // The hold covers this number of uses.
    if (pricedFields.size > 0) body['max_tool_calls'] ??= defaultMaxUses;
  }
  // The next request can continue only from sealed reasoning.
  if (wire.body['store'] !== false)
    body['include'] = [...new Set([...listOf(wire.body['include']), encryptedReasoning])];
  return body;
}

function withAllowedTools(item: unknown, at: number, pricedFields: ReadonlySet<string>): unknown {
  if (!isObject(item) || !toolItemTypes.has(item.type) || !Array.isArray(item.tools)) return item;
  return { ...item, tools: allowedTools(item.tools, ['input', at, 'tools'], pricedFields) };
}

/** Without the tools that the provider would run and that have no price; also in namespaces. */
function allowedTools(list: unknown, path: FieldPath, pricedFields: ReadonlySet<string>): readonly unknown[] {
  return listOf(list).flatMap((tool, at) => {
    const here = [...path, at];
    if (!isRunByClients(tool) && !pricedFields.has(fieldName(here))) return [];
    const isNamespace = isObject(tool) && tool.type === 'namespace' && Array.isArray(tool.tools);
    return [isNamespace ? { ...tool, tools: allowedTools(tool.tools, [...here, 'tools'], pricedFields) } : tool];
  });
}

/** A string as input is a user message. */
function itemsOf(input: unknown): readonly unknown[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input);
}

const encryptedReasoning = 'reasoning.encrypted_content';

/** Fields that refer to data stored by the gateway, or to the client itself. */
const gatewayFields = ['previous_response_id', 'client_metadata', 'background', 'conversation'];

function isSealedByGateway(item: WireObject): boolean {
  const content = nonEmptyString(item.encrypted_content);
  return content !== undefined && isSealedHere(content);
}

function isRunByClients(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  return runByClients.has(tool.type) || (tool.type === 'tool_search' && tool.execution === 'client');
}

const runByClients: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);
