import { describe, expect, test } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import type { Example } from '../../../../test/fixtures/dialects/markup/examples.ts';
import {
  allTools,
  examples,
  pieces,
  type Read,
  readMarkup,
} from '../../../../test/fixtures/dialects/markup/read-markup.ts';

function readExample(example: Example, cut: readonly string[], format: string): Read {
  const { startsInReasoning, offersTools, finish } = example;
  const startsIn = startsInReasoning ? 'reasoning' : 'text';
  return readMarkup(cut, { format, startsIn, finish, tools: offersTools ? allTools : [] });
}

function expectExample(example: Example, read: Read): void {
  const shown = (text: string) => (example.trim ? text.trim() : text);
  expect(shown(read.content)).toBe(shown(example.content));
  expect(shown(read.reasoning)).toBe(shown(example.reasoning));
  expect(read.calls.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) as unknown }))).toEqual(
    example.calls.map(({ name, arguments: value }) => ({ name, arguments: value })),
  );
  for (const [index, { text, id }] of example.calls.entries()) {
    if (text !== undefined) expect(read.calls[index]?.arguments).toBe(text);
    if (id !== undefined) expect(read.calls[index]?.id).toBe(id);
  }
  expect(new Set(read.calls.map(({ id }) => id)).size).toBe(read.calls.length);
}

/** The same text, split in many ways. */
function cuts(raw: string): readonly (readonly string[])[] {
  const even = [1, 2, 3, 5, 7, 16].map((size) => pieces(raw, size));
  const offsets = Array.from({ length: raw.length }, (_, at) => at).filter((at) => isDeep || at % 7 === 0);
  const halves = offsets.map((at) => [raw.slice(0, at), raw.slice(at)]);
  return [...even, ...halves, ...Array.from({ length: 20 }, (_, seed) => uneven(raw, seed + 1))];
}

function uneven(raw: string, seed: number): readonly string[] {
  const cut: string[] = [];
  let state = seed * 7919;
  for (let at = 0; at < raw.length; ) {
    state = (state * 48_271) % 2_147_483_647;
    const size = 1 + (state % 13);
    cut.push(raw.slice(at, at + size));
    at += size;
  }
  return cut;
}

const runs = examples.flatMap((example) => [
  { example, format: example.family },
  ...(example.auto ? [{ example, format: 'auto' }] : []),
]);

describe.each(runs)('$example.name read as $format', ({ example, format }) => {
  test('gives the expected text, reasoning and calls', () => {
    expectExample(example, readExample(example, [example.raw], format));
  });

  test('gives the same result in pieces of any size', () => {
    const whole = readExample(example, [example.raw], format);
    for (const cut of cuts(example.raw)) expect(readExample(example, cut, format)).toEqual(whole);
  });
});
