import fc from 'fast-check';
import { expect, test } from 'vitest';
import { select, type WeightedCandidate } from './selection.ts';

const idle: WeightedCandidate = { name: 'a', weight: 1, load: 0, hasRoom: true, running: 0, latencyMs: undefined };
const named = (name: string, more: Partial<WeightedCandidate> = {}): WeightedCandidate => ({ ...idle, name, ...more });

function seeded(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
}

function shares(
  weighed: readonly WeightedCandidate[],
  conversation?: (index: number) => string,
): Record<string, number> {
  const random = seeded();
  const counts: Record<string, number> = {};
  for (let i = 0; i < 10_000; i++) {
    const { name } = select(weighed, random, conversation?.(i))!;
    counts[name] = (counts[name] ?? 0) + 1 / 10_000;
  }
  return counts;
}

test('idle candidates are selected in proportion to their weight', () => {
  const counts = shares([named('light'), named('heavy', { weight: 3 })]);
  expect(counts['heavy']).toBeCloseTo(0.75, 1);
});

test('of equal candidates the less busy one is preferred, and then the faster one', () => {
  expect(shares([named('busy', { load: 0.5 }), named('idle', { load: 0.1 })])['idle']).toBeCloseTo(0.75, 1);
  expect(shares([named('slow', { latencyMs: 900 }), named('quick', { latencyMs: 100 })])['quick']).toBeCloseTo(0.75, 1);
  expect(shares([named('one', { running: 4 }), named('other', { running: 1 })])['other']).toBeCloseTo(0.75, 1);
});

const anyProspect = fc.record({
  name: fc.string(),
  weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
  load: fc.double({ min: 0, max: 3, noNaN: true }),
  hasRoom: fc.boolean(),
  running: fc.nat(10),
  latencyMs: fc.option(fc.nat(1000), { nil: undefined }),
});

test('no request is sent to wait while a candidate has a free slot', () => {
  fc.assert(
    fc.property(
      fc.array(anyProspect, { minLength: 1 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.option(fc.string(), { nil: undefined }),
      (weighed, draw, conversation) => {
        const chosen = select(weighed, () => draw, conversation);
        expect(weighed).toContain(chosen);
        if (weighed.some(({ hasRoom }) => hasRoom)) expect(chosen?.hasRoom).toBe(true);
      },
    ),
  );
});

test('a conversation always goes to its usual candidate, and conversations spread by weight', () => {
  const slots = [named('a'), named('b'), named('c', { weight: 2 })];
  for (const conversation of ['x', 'y', 'z']) {
    const seen = new Set([0, 0.3, 0.6, 0.99].map((draw) => select(slots, () => draw, conversation)?.name));
    expect(seen.size).toBe(1);
  }
  expect(shares(slots, (index) => `conversation ${index}`)['c']).toBeCloseTo(0.5, 1);
});

test('when a candidate is removed, only its own conversations move', () => {
  const slots = [named('a'), named('b'), named('c')];
  const conversations = Array.from({ length: 200 }, (_, i) => `conversation ${i}`);
  const staying = conversations.filter((each) => select(slots, () => 0, each)?.name !== 'c');
  const usual = (among: readonly WeightedCandidate[]) => staying.map((each) => select(among, () => 0, each)?.name);
  expect(staying.length).toBeGreaterThan(100);
  expect(usual(slots.slice(0, 2))).toEqual(usual(slots));
});

test('a conversation leaves a candidate that is much busier than another', () => {
  const at = (load: number) => [named('a', { load }), named('b')];
  const conversation = Array.from({ length: 50 }, (_, i) => `c${i}`).find(
    (each) => select(at(0), () => 0, each)?.name === 'a',
  )!;
  expect(select(at(0.2), () => 0.9, conversation)?.name).toBe('a');
  expect(select(at(0.9), () => 0.9, conversation)?.name).toBe('b');
});
