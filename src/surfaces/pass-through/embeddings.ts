import type { PassThroughAnswer } from '../../core/chat/pass-through-call.ts';
import { listOf, objectOf, parsedJson } from '../../dialects/wire-value.ts';

/** Above this size the vectors are not converted, because that would block the event loop. */
const convertedBytesMax = 16 * 1024 * 1024;

export type EmbeddingForm = 'float' | 'base64';

/**
 * Converts the vectors to the requested encoding. Providers differ in the encodings they support; client libraries
 * request one and read no other.
 */
export function inEncoding(answer: PassThroughAnswer, form: EmbeddingForm): PassThroughAnswer {
  if (answer.body.length > convertedBytesMax || formOf(answer.body) !== otherForm[form]) return answer;
  const value = objectOf(parsedJson(answer.body.toString('utf8')));
  if (!value) return answer;
  const data = listOf(value['data']).map((entry) => {
    const embedding = objectOf(entry);
    return embedding ? { ...embedding, embedding: convertVector(embedding['embedding'], form) } : entry;
  });
  return { ...answer, body: Buffer.from(JSON.stringify({ ...value, data })) };
}

const otherForm = { float: 'base64', base64: 'float' } as const;

/** The encoding of the first vector. All vectors have the same. */
function formOf(body: Buffer): EmbeddingForm | undefined {
  const at = body.indexOf('"embedding":');
  const spaced = at < 0 ? body.indexOf('"embedding"', body.indexOf('"data"')) : at;
  const [, opening] = /^"embedding"\s*:\s*(["[])/.exec(body.toString('latin1', spaced, spaced + 64)) ?? [];
  if (opening === undefined) return undefined;
  return opening === '[' ? 'float' : 'base64';
}

function convertVector(vector: unknown, form: EmbeddingForm): unknown {
  if (form === 'base64') {
    if (!Array.isArray(vector)) return vector;
    return Buffer.from(Float32Array.from(vector, Number).buffer).toString('base64');
  }
  if (typeof vector !== 'string') return vector;
  const bytes = Uint8Array.from(Buffer.from(vector, 'base64'));
  return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4))];
}
