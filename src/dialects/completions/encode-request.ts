import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { bodyFields, bodyText, setStreaming, setUser } from '../chat-completions/request/body-fields.ts';
import type { ChatRequestEncoding } from '../chat-completions/request/encode-request.ts';
import { levelMembers, withoutPricedFields } from '../priced-fields.ts';
import { singlePrompt, unsupported } from './encode-as-chat.ts';
import { completionRequestSchema } from './request-schema.ts';

type CompletionRequestEncoding = Pick<ChatRequestEncoding, 'model' | 'maxTokens' | 'quirks' | 'prefill'>;

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
