import type { PassThroughAnswer, SplitCall } from '../../core/chat/pass-through-call.ts';
import { spliceMembers } from '../../dialects/json-splice.ts';
import { isObject, listOf, objectOf, parsedJson, type WireObject } from '../../dialects/wire-value.ts';
import { unusableAnswer } from './answer.ts';

/**
 * Splits a body with more inputs than the provider accepts, and joins the answers: vectors in the order of the inputs,
 * usage summed. Returns undefined if the body fits.
 */
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
