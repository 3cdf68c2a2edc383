import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { bodyFields, bodyText, setStreaming, setUser } from '../chat-completions/request/body-fields.ts';
import type { ResolvedQuirks } from '../chat-completions/quirks.ts';
import { levelMembers, withoutPricedFields } from '../priced-fields.ts';
import { singlePrompt, unsupported } from './encode-as-chat.ts';
import { completionRequestSchema } from './request-schema.ts';

export interface CompletionRequestEncoding {
  /** The model's name at the provider. */
  readonly model: string;
  /** The cap sent to the provider, independent of the client's; `undefined` sends none. */
  readonly maxTokens: number | undefined;
  readonly quirks: ResolvedQuirks;
  /** The start of the answer, which the provider continues. */
  readonly prefill?: string | undefined;
}

/** The body for a provider's legacy completions endpoint: the client's body with the required changes. */
export function encodeCompletionRequest(request: ChatRequest, encoding: CompletionRequestEncoding): string {
  if (request.wire.format !== 'completions') throw new Error('Only a legacy request can go to a legacy endpoint.');
  const fields = bodyFields(withoutPricedFields(request.wire.body), completionRequestSchema.shape);
  if (fields.get('suffix') && !encoding.quirks.suffix) throw unsupported('suffix');
  fields.set('model', encoding.model);
  for (const [name, value] of levelMembers(request)) fields.set(name, value);
  if (encoding.prefill !== undefined) fields.set('prompt', singlePrompt(fields.get('prompt')) + encoding.prefill);
  // At every provider, the legacy endpoint has only this name for the cap.
  if (encoding.maxTokens === undefined) fields.delete('max_tokens');
  else fields.set('max_tokens', encoding.maxTokens);
  setUser(fields, encoding.quirks);
  setStreaming(fields, encoding.quirks);
  return bodyText(fields);
}
