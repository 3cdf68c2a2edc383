import type { PassThroughAnswer, SplitCall } from '../../../core/pass-through-call.ts';
import { isObject, listOf, objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';
import { spliceMembers } from 'chat-formats/json/json-splice.ts';
import { unusableAnswer } from './answer.ts';

/** Above this size the vectors are not converted, because that would block the event loop. */
const convertedBytesMax = 16 * 1024 * 1024;

type EmbeddingForm = 'float' | 'base64';

/** Converts vectors: providers support different encodings, and client libraries read only the one they request. */
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

/** Splits a body with too many inputs, and joins the answers in their order. Undefined if the body fits. */
export function splitEmbeddings(text: string, input: unknown, inputsMax: number): SplitCall | undefined {
  const inputs = listOf(input);
  // A list of numbers is one input, given as token ids.
  if (inputs.length <= inputsMax || typeof inputs[0] === 'number') return undefined;
  const parts = Array.from({ length: Math.ceil(inputs.length / inputsMax) }, (_, at) =>
    inputs.slice(at * inputsMax, (at + 1) * inputsMax),
  );
  const joined = new JoinedEmbeddings();
  return {
    bodies: (model) => parts.map((part) => spliced(text, model, part)),
    // Parse each answer as it arrives; parsing all at once would block the event loop.
    take: (answer, at) => joined.add(answer, parts[at]?.length ?? 0),
    join: () => joined.answer(),
  };
}

function spliced(text: string, model: string, input: readonly unknown[]): string {
  return spliceMembers(
    text,
    new Map([
      ['model', JSON.stringify(model)],
      ['input', JSON.stringify(input)],
    ]),
  );
}

class JoinedEmbeddings {
  readonly #data: string[] = [];
  #count = 0;
  #first: WireObject = {};
  /** Undefined as soon as one answer lacks usage. */
  #usage: Record<string, number> | undefined = {};

  add({ body }: PassThroughAnswer, expected: number): void {
    const value = objectOf(parsedJson(body.toString('utf8')));
    const entries = listOf(value?.['data']).filter(isObject);
    if (!value || entries.length !== expected)
      throw unusableAnswer(`the provider answered ${expected} inputs with ${entries.length} vectors`);
    if (this.#count === 0) this.#first = value;
    this.#data.push(...ordered(entries).map((entry, at) => JSON.stringify({ ...entry, index: this.#count + at })));
    this.#count += expected;
    this.#addUsage(objectOf(value['usage']));
  }

  answer(): PassThroughAnswer {
    const { data: _data, usage: _usage, ...rest } = this.#first;
    const usage = this.#usage && { usage: this.#usage };
    const head = JSON.stringify({ ...rest, ...usage }).slice(1);
    const comma = head === '}' ? '' : ',';
    return { contentType: 'application/json', body: Buffer.from(`{"data":[${this.#data.join(',')}]${comma}${head}`) };
  }

  #addUsage(usage: WireObject | undefined): void {
    const sums = this.#usage;
    if (!usage || !sums) {
      this.#usage = undefined;
      return;
    }
    for (const [name, figure] of Object.entries(usage)) {
      if (typeof figure === 'number') sums[name] = (sums[name] ?? 0) + figure;
    }
  }
}

/** Sorts by index; unchanged if an entry has none. */
function ordered(entries: readonly WireObject[]): readonly WireObject[] {
  if (!entries.every(({ index }) => typeof index === 'number')) return entries;
  return entries.toSorted((one, other) => Number(one['index']) - Number(other['index']));
}
