import type { ChatRequest } from '../../chat/chat-request.ts';
import { GatewayError } from '../../gateway-error.ts';
import { type BodyFields, bodyFields, bodyText, setStreaming, setUser } from './body-fields.ts';
import { withoutPricedFields, levelMembers } from '../../priced-fields.ts';
import { completionRequestSchema } from './decode-completion-request.ts';
import { chatHints, unsupportedOutputs } from './unsupported-fields.ts';
import { fieldsOutside, type FieldPath } from '../../invalid-request.ts';
import { samplingHints } from '../../sampling-hints.ts';
import type { WireObject } from '../../wire-value.ts';
import type { ResolvedQuirks } from '../quirks.ts';

/** Encodes a legacy prompt as a conversation of one user message, for providers without the legacy endpoint. */
export function chatFieldsOfPrompt(request: ChatRequest): BodyFields {
  const source = bodyFields(withoutPricedFields(request.wire.body), completionRequestSchema.shape);
  rejectLegacyFields(source);
  const fields: BodyFields = new Map();
  for (const [name, value] of source) {
    if (name === 'prompt') fields.set('messages', [{ role: 'user', content: singlePrompt(value) }]);
    else if (!promptOnly.has(name)) fields.set(name, value);
  }
  if (request.logprobs) fields.set('logprobs', true);
  if (request.logprobs && request.topLogprobs !== undefined) fields.set('top_logprobs', request.topLogprobs);
  return fields;
}

const promptOnly = new Set(['suffix', 'echo', 'best_of', 'logprobs']);

/** Throws for fields that only the legacy endpoint supports. */
export function rejectLegacyFields(fields: BodyFields): void {
  if (fields.get('suffix')) throw unsupported('suffix');
  if (fields.get('echo')) throw unsupported('echo');
  const bestOf = fields.get('best_of');
  if (typeof bestOf === 'number' && bestOf > 1) throw unsupported('best_of');
  singlePrompt(fields.get('prompt'));
}

/** Throws for several prompts or token ids, which can neither become a message nor be continued. */
export function singlePrompt(prompt: unknown): string {
  const only: unknown = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (typeof only !== 'string') throw unsupported('prompt');
  return only;
}

/** The error for a field that the provider does not support. The client gets it like any rejection by the provider. */
export function unsupported(field: string): GatewayError {
  return new GatewayError('upstream-rejected', {
    code: `unsupported_${field}`,
    cause: new Error(`The provider does not support the ${field} of this request.`),
  });
}

const known = new Set([...Object.keys(completionRequestSchema.shape), 'logit_bias', 'reasoning', 'top_k']);

/** The fields that no other format supports. Throws for a prompt that cannot become a message. */
export function* unsupportedInPrompt(body: WireObject): Generator<FieldPath> {
  rejectLegacyFields(bodyFields(body, completionRequestSchema.shape));
  yield* fieldsOutside(body, [known, chatHints, samplingHints]);
  yield* unsupportedOutputs(body);
}

interface CompletionRequestEncoding {
  readonly model: string;
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
