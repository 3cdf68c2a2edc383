import { fieldsOutside, type FieldPath } from '../../invalid-request.ts';
import { samplingHints } from '../../sampling-hints.ts';
import { isObject, listOf, objectOf, type WireObject, wordSet, objectEntries } from '../../wire-value.ts';
import { decodePart } from './decode-message.ts';
import { chatRequestSchema } from './request-schema.ts';

/** Not the content of an answer, but how it is generated, priced, stored or reported: left out for other formats. */
export const chatHints = wordSet(`
  metadata prompt_cache_key prompt_cache_retention safety_identifier service_tier store usage user
`);

const known = new Set([
  ...Object.keys(chatRequestSchema.shape),
  ...wordSet('logit_bias modalities parallel_tool_calls reasoning top_k'),
]);

/** The paths of the fields of a chat-completions body that no other format supports. */
export function* unsupportedInChat(body: WireObject): Generator<FieldPath> {
  yield* fieldsOutside(body, [known, chatHints, samplingHints]);
  yield* unsupportedOutputs(body);
  const format = objectOf(body.response_format);
  const isSchemaless = !isObject(objectOf(format?.json_schema)?.schema);
  if (format?.type === 'json_schema' && isSchemaless) yield ['response_format', 'json_schema', 'schema'];
  for (const [at, message] of objectEntries(body.messages)) yield* inMessage(message, ['messages', at]);
}

/** The options for the answer that both endpoints have. Some clients set them explicitly to their defaults. */
export function* unsupportedOutputs(body: WireObject): Generator<FieldPath> {
  if (typeof body.n === 'number' && body.n > 1) yield ['n'];
  if (body.logprobs === true || typeof body.logprobs === 'number') yield ['logprobs'];
  if (isObject(body.logit_bias) && Object.keys(body.logit_bias).length > 0) yield ['logit_bias'];
  if (listOf(body.modalities).some((modality) => modality !== 'text')) yield ['modalities'];
}

function* inMessage(message: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const name of ['audio', 'function_call']) {
    if (message[name] !== undefined && message[name] !== null) yield [...path, name];
  }
  for (const [at, part] of objectEntries(message.content)) {
    if (!isTranslatable(part, message.role)) yield [...path, 'content', at];
  }
}

function isTranslatable(part: WireObject, role: unknown): boolean {
  if (role === 'user' || role === 'tool') return decodePart(part) !== undefined;
  return part.type === 'text' || (part.type === 'refusal' && role === 'assistant');
}
