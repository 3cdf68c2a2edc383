import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chatRequest } from '../../../../test/call-upstream.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { UsageMeter } from './usage-meter.ts';

type MeterInput = StreamEvent | SplicedText;
type TextEvent = Extract<StreamEvent, { type: 'text-delta' | 'reasoning-delta' }>;

const piece: fc.Arbitrary<TextEvent> = fc.record({
  type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
  choice: fc.constant(0),
  text: fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), fc.constant('ab'.repeat(3000))),
});
const call: StreamEvent = { type: 'tool-call-start', choice: 0, call: 0, id: 'c', name: 'clock' };
const answerEvents = fc.array(fc.oneof({ weight: 20, arbitrary: piece }, { weight: 1, arbitrary: fc.constant(call) }), {
  maxLength: 120,
});

test('spliced text counts the same as text events', async () => {
  await fc.assert(
    fc.asyncProperty(answerEvents, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (events, runs) => {
      expect(await measure(spliced(events, runs))).toEqual(await measure(events));
    }),
  );
});

test('an estimated count is marked as estimated', async () => {
  const usageMeter = new UsageMeter(chatRequest(), async () => ({ tokens: [3, 5, 0], source: 'estimated' }));
  usageMeter.measure([{ type: 'text-delta', choice: 0, text: 'hello' }]);
  expect(await usageMeter.usage()).toMatchObject({ promptTokens: 3, completionTokens: 5, source: 'estimated' });
});

/** All results of a meter, some of them read while the answer still runs. */
async function measure(input: readonly MeterInput[]): Promise<unknown> {
  const texts: (readonly string[])[] = [];
  const usageMeter = new UsageMeter(chatRequest(), async (all) => {
    texts.push(all);
    return { tokens: all.map((text) => text.length), source: 'counted' };
  });
  const wasEmpty = usageMeter.isEmpty;
  usageMeter.measure(input);
  return [wasEmpty, usageMeter.isEmpty, usageMeter.outputTokensAtLeast, await usageMeter.usage(), texts];
}

/** Joins consecutive texts of one kind into spliced texts, with these maximum lengths in turn. */
function spliced(events: readonly (TextEvent | typeof call)[], runs: readonly number[]): readonly MeterInput[] {
  const input: MeterInput[] = [];
  for (let at = 0, round = 0; at < events.length; round++) {
    const first = events[at]!;
    const rest = events.slice(at, at + runs[round % runs.length]!);
    const other = rest.findIndex(({ type }) => type !== first.type);
    const run = first.type === 'tool-call-start' ? [first] : rest.slice(0, other < 0 ? undefined : other);
    const texts = run.flatMap((event) => ('text' in event ? [event.text] : []));
    input.push(texts.length === 0 ? first : splicedText(first.type as TextEvent['type'], texts));
    at += run.length;
  }
  return input;
}

function splicedText(kind: TextEvent['type'], texts: readonly string[]): MeterInput {
  const bytes = Buffer.byteLength(texts.join(''));
  return { type: 'spliced-text', kind, pieces: texts.length, bytes, texts: () => texts };
}
