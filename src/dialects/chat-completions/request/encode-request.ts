import type { ChatRequest } from '../../../core/chat/chat-request.ts';
import type { Untranslatable } from '../../../core/chat/model.ts';
import { chatFieldsOfPrompt } from '../../completions/encode-as-chat.ts';
import { levelMembers, withoutPricedFields } from '../../priced-fields.ts';
import { translate } from '../../translate.ts';
import { listOf } from '../../wire-value.ts';
import { type BodyFields, bodyFields, bodyText, setStreaming, setUser } from './body-fields.ts';
import { encodeConversation } from './encode-conversation.ts';
import { chatFieldsOfCore } from './encode-from-core.ts';
import { withContents } from './message-contents.ts';
import { setThinking } from './encode-thinking.ts';
import type { ResolvedQuirks } from '../quirks.ts';
import { chatRequestSchema } from './request-schema.ts';

export interface ChatRequestEncoding {
  /** The model's name at the provider. */
  readonly model: string;
  /** The cap sent to the provider, independent of the client's; `undefined` sends none. */
  readonly maxTokens: number | undefined;
  readonly thinkingCapable: boolean;
  readonly quirks: ResolvedQuirks;
  /** The start of the answer, which the provider continues. */
  readonly prefill?: string | undefined;
  /** The conversation's key, for a provider that groups its turns by this field. */
  readonly cacheKey?: string | undefined;
  /** How to treat fields that the format lacks. */
  readonly untranslatable?: Untranslatable | undefined;
}

export const chatTemperatureMax = 2;

/**
 * The body for a provider's chat completions endpoint. For a client of this format it is the client's body with the
 * required changes; otherwise it is built from core.
 */
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
  setStreaming(fields, encoding.quirks);
  return bodyText(fields);
}

function fieldsOf(request: ChatRequest, { quirks, untranslatable }: ChatRequestEncoding): BodyFields {
  switch (request.wire.format) {
    case 'chat-completions':
      return withFurtherMessages(
        withContents(bodyFields(withoutPricedFields(request.wire.body), chatRequestSchema.shape)),
        request,
        quirks,
      );
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
  const messages: unknown = fields.get('messages');
  const flag = prefixStyle === 'prefix' || prefixStyle === 'partial' ? { [prefixStyle]: true } : {};
  const beginning = { role: 'assistant', content: prefill, ...flag };
  fields.set('messages', [...(Array.isArray(messages) ? (messages as unknown[]) : []), beginning]);
  if (prefixStyle !== 'continue_final_message') return;
  fields.set('add_generation_prompt', false);
  fields.set('continue_final_message', true);
}
