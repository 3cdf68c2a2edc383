import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noMarkupRequest } from 'chat-formats/markup/markup-request.ts';
import {
  slowPath,
  plainEncoding,
  seen,
  type Stage,
  splicedPath,
} from '../fixtures/dialects/chat-completions/both-paths.ts';
import { SpliceMemory } from '../../src/serving/upstreams/splice/splice-memory.ts';
import { CuttingGate } from 'chat-formats/guarantees/cutting-gate.ts';
import { isDeep } from '../depth.ts';
import { ManualFlow, CollectingSink } from '../fakes/flows.ts';

/** The stage of the slow path that enforces max_tokens. */
function cappedStage(maxTokens: number): Stage {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  new CuttingGate(provider, { maxTokens, choices: 1 }).start(client);
  return {
    get isDone() {
      return provider.isCancelled;
    },
    pass(events) {
      const before = client.batches.length;
      provider.sink?.events(events);
      return client.batches.slice(before).flat();
    },
  };
}

const framed = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (choice: object): object => ({ id: 'c', object: 'chat.completion.chunk', choices: [choice] });
const end = framed(delta({ index: 0, delta: {}, finish_reason: 'stop' })) + framed('[DONE]');

const words = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '\n', '"', '\\', '\t', 'é', '—', '山', '里', '😀', '\ud83d', '<', 'word '),
  minLength: 1,
  maxLength: 24,
});
const deltas = fc.oneof(
  { weight: 12, arbitrary: fc.record({ content: words }) },
  { weight: 4, arbitrary: fc.record({ reasoning_content: words }) },
  {
    weight: 1,
    arbitrary: words.map((args) => ({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: args } }] })),
  },
);
const index = fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) });
const frames = fc
  .record({ index, delta: deltas, finish_reason: fc.constant(null) })
  .map((choice) => framed(delta(choice)));
const answerOf = (all: readonly string[]): Buffer =>
  Buffer.from(framed(delta({ index: 0, delta: { role: 'assistant', content: '' } })) + all.join('') + end);
const answers = fc.array(frames, { minLength: 6, maxLength: 30 }).map(answerOf);

const maxTokensMost = 12;
/** Longer than the limit of 8 letters per token plus 64. */
const tooLong = framed(delta({ index: 0, delta: { content: 'word '.repeat(8) }, finish_reason: null })).repeat(5);
const longAnswers = fc.array(frames, { maxLength: 20 }).map((all) => answerOf([...all, tooLong]));

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(5000)), { minLength: 1, maxLength: 5 });
const caps = fc.integer({ min: 1, max: maxTokensMost });
const numRuns = isDeep ? 80 : 25;

/** Expects the same output on both paths, in one piece and in several. Returns whether each answer was truncated. */
function expectSame(stream: Buffer, cuts: readonly number[], maxTokens: number): boolean[] {
  const memory = new SpliceMemory();
  return [[stream.length], cuts].map((each) => {
    const stage = cappedStage(maxTokens);
    const slow = seen(slowPath(noMarkupRequest, plainEncoding, stage), stream, each);
    expect(seen(splicedPath(memory, noMarkupRequest, plainEncoding, maxTokens), stream, each)).toBe(slow);
    return stage.isDone;
  });
}

test('the fast path writes an answer of any length as the slow path does, in pieces of any size', () => {
  fc.assert(
    fc.property(answers, sizes, caps, (...each) => void expectSame(...each)),
    { numRuns },
  );
});

test('the fast path truncates an answer above max_tokens as the slow path does, in pieces of any size', () => {
  fc.assert(
    fc.property(longAnswers, sizes, caps, (...each) => {
      expect(expectSame(...each)).toEqual([true, true]);
    }),
    { numRuns },
  );
});

test('the fast path splices most frames of a truncated answer without parsing them', () => {
  const memory = new SpliceMemory();
  const content = framed(delta({ index: 0, delta: { content: 'some words ' }, finish_reason: null }));
  const stream = Buffer.from(content.repeat(40) + end);
  seen(splicedPath(memory), stream, [stream.length]);
  const path = splicedPath(memory, noMarkupRequest, plainEncoding, 20);
  const output = seen(path, stream, [stream.length]);
  // The limit is 8 × 20 + 64 = 224 letters: 20 times these 11 letters, and four more.
  expect([path.pieces, path.isDone, output.includes('\\"finish_reason\\":\\"length\\"')]).toEqual([20, true, true]);
});
