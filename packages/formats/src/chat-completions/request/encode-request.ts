import type { ChatRequest, AnswerFormat, Tool, ToolChoice } from '../../chat/chat-request.ts';
import { chatFieldsOfPrompt } from './encode-completion-request.ts';
import { levelMembers, withoutPricedFields } from '../../priced-fields.ts';
import { type RequestEncoding, translate } from '../../translate.ts';
import { listOf, isObject, type WireObject } from '../../wire-value.ts';
import { type BodyFields, bodyFields, bodyText, setStreaming, setUser } from './body-fields.ts';
import { encodeConversation } from './encode-conversation.ts';
import { fitFields } from './fit-fields.ts';
import { setThinking } from './encode-thinking.ts';
import type { ResolvedQuirks } from '../quirks.ts';
import { chatRequestSchema } from './request-schema.ts';

export interface ChatRequestEncoding extends RequestEncoding {
  readonly quirks: ResolvedQuirks;
  /** The start of the answer, which the provider continues. */
  readonly prefill?: string | undefined;
  /** The conversation's key, for a provider that groups its turns by this field. */
  readonly cacheKey?: string | undefined;
}

export const chatTemperatureMax = 2;

/** The client's body with the required changes if it has this format; otherwise a body built from core. */
export function encodeChatRequest(request: ChatRequest, encoding: ChatRequestEncoding): string {
  const fields = fieldsOf(request, encoding);
  fields.set('model', encoding.model);
  for (const [name, value] of levelMembers(request)) fields.set(name, value);
  setMaxTokens(fields, encoding);
  setUser(fields, encoding.quirks);
  setThinking(fields, request, encoding);
  if (encoding.prefill !== undefined) setPrefill(fields, encoding.prefill, encoding.quirks);
  const { cacheKey } = encoding;
  if (cacheKey !== undefined && !fields.has('prompt_cache_key')) fields.set('prompt_cache_key', cacheKey);
  fitFields(fields, encoding);
  setStreaming(fields, encoding.quirks);
  return bodyText(fields);
}

function fieldsOf(request: ChatRequest, { quirks, untranslatable }: ChatRequestEncoding): BodyFields {
  switch (request.wire.format) {
    case 'chat-completions': {
      const fields = withContents(bodyFields(withoutPricedFields(request.wire.body), chatRequestSchema.shape));
      return withFurtherMessages(fields, request, quirks);
    }
    case 'completions':
      return chatFieldsOfPrompt(request);
    case 'messages':
    case 'responses':
      translate(request, { untranslatable, temperatureMax: chatTemperatureMax, hasLogprobs: true });
      return chatFieldsOfCore(request, quirks);
    default:
      return request.wire.format satisfies never;
  }
}

/** Adds re-prompt messages. The client's messages stay unchanged. */
function withFurtherMessages(fields: BodyFields, { further = [] }: ChatRequest, quirks: ResolvedQuirks): BodyFields {
  if (further.length > 0)
    fields.set('messages', [...listOf(fields.get('messages')), ...encodeConversation(further, quirks)]);
  return fields;
}

function setMaxTokens(fields: BodyFields, { maxTokens, quirks }: ChatRequestEncoding): void {
  const other = quirks.maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
  fields.delete(other);
  if (maxTokens === undefined) fields.delete(quirks.maxTokensField);
  else fields.set(quirks.maxTokensField, maxTokens);
}

/** Adds the start of the answer as the last message, with the flags that make the provider continue it. */
export function setPrefill(fields: BodyFields, prefill: string, { prefixStyle }: ResolvedQuirks): void {
  const flag = prefixStyle === 'prefix' || prefixStyle === 'partial' ? { [prefixStyle]: true } : {};
  const beginning = { role: 'assistant', content: prefill, ...flag };
  fields.set('messages', [...listOf(fields.get('messages')), beginning]);
  if (prefixStyle !== 'continue_final_message') return;
  fields.set('add_generation_prompt', false);
  fields.set('continue_final_message', true);
}

/** Clients omit the content beside tool calls and send `null` for an empty result. Providers may reject both. */
function withContents(fields: BodyFields): BodyFields {
  const messages = listOf(fields.get('messages'));
  if (messages.some((message) => contentFor(message) !== undefined)) {
    fields.set(
      'messages',
      messages.map((message) => ({ ...(isObject(message) && message), ...contentFor(message) })),
    );
  }
  return fields;
}

function contentFor(message: unknown): { readonly content: string | null } | undefined {
  if (!isObject(message)) return undefined;
  if (message.role === 'tool' && message.content === null) return { content: '' };
  return message.role === 'assistant' && message.content === undefined ? { content: null } : undefined;
}

/** Built from core in a fixed order: what changes least between turns comes first, for the provider's prompt cache. */
function chatFieldsOfCore(request: ChatRequest, quirks: ResolvedQuirks): BodyFields {
  const { tools, toolChoice, parallelToolCalls, answerFormat, userId } = request;
  const hasTools = tools.length > 0;
  const fields: readonly (readonly [string, unknown])[] = [
    ['model', request.model],
    ['tools', hasTools ? tools.map(encodeTool) : undefined],
    ['tool_choice', hasTools ? encodeToolChoice(toolChoice) : undefined],
    ['parallel_tool_calls', hasTools && parallelToolCalls === false ? false : undefined],
    ['messages', encodeConversation(request.messages, quirks)],
    ['response_format', answerFormat && encodeAnswerFormat(answerFormat)],
    ['temperature', request.temperature],
    ['top_p', request.topP],
    // Not in the format, but many providers accept it. The others reject the request.
    ['top_k', request.topK],
    ['stop', request.stop.length > 0 ? request.stop : undefined],
    ['logprobs', request.logprobs || undefined],
    ['top_logprobs', request.logprobs ? request.topLogprobs : undefined],
    ['user_id', userId === undefined ? undefined : validLabel(userId)],
  ];
  return new Map(fields.filter(([, value]) => value !== undefined));
}

function encodeTool({ name, description, parameters, strict }: Tool): WireObject {
  return { type: 'function', function: { name, description, parameters, strict: strict === true || undefined } };
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function encodeAnswerFormat(format: AnswerFormat): WireObject {
  if (format === 'json') return { type: 'json_object' };
  const { name = 'answer', schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}

/** The longest label that every provider of the format accepts. */
const labelMax = 64;

/** Agents put whole objects into the label. Providers accept only letters, digits, `_` and `-`. */
function validLabel(userId: string): string {
  return userId.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, labelMax);
}
