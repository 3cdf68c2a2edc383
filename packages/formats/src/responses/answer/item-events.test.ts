import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../../../../test/depth.ts';
import { assertLegalOrder } from '../../../../../test/response-life.ts';
import type { StreamEvent } from '../../chat/stream-event.ts';
import { arbitraryMessage } from '../../../../../test/fixtures/dialects/arbitrary-message.ts';
import { ResponseStream } from '../encode-stream.ts';
import { ItemEvents } from './item-events.ts';
import { kindOfPart, summaryText } from './item-texts.ts';
import { replayedEvents } from './replay.ts';

const body = { model: 'm', stream: true, tools: [{ type: 'function', name: 'f' }] };
const encoding = { id: '1a', created: 1, model: 'm', body, now: () => 2, logprobs: false };

/** The frames that a client receives, and their replay. */
function sent(events: readonly StreamEvent[]) {
  const stream = new ResponseStream(encoding);
  const frames = stream.encode(events) + stream.close() + stream.done();
  return { frames, replay: replayedEvents(stream.stored, stream.score), whole: replayedEvents(stream.stored) };
}

test('the encoder, the pass-through and the replay send their events in a legal order', () => {
  fc.assert(
    fc.property(arbitraryMessage, (events) => {
      const usage = events.filter(({ type }) => type === 'usage');
      const encoded = sent(events);
      const passed = sent([{ type: 'verbatim', text: encoded.frames }, ...usage]);
      assertLegalOrder(encoded.frames, encoded.replay, encoded.whole, passed.frames, passed.replay, passed.whole);
    }),
    { numRuns: isDeep ? 200 : 40 },
  );
});

test('the index of a part counts the parts of its list, and opening a part ends the one before it', () => {
  const item = new ItemEvents(2, { id: 'rs_a', type: 'reasoning', summary: [] });
  const events = [
    ...item.delta(summaryText, 'a'),
    ...item.delta(kindOfPart({ type: 'reasoning_text' }), 'b'),
    ...item.delta(summaryText, 'c'),
    ...item.done(),
  ];
  expect(events.map(({ type, summary_index: summary, content_index: content }) => [type, summary ?? content])).toEqual([
    ['response.reasoning_summary_part.added', 0],
    ['response.reasoning_summary_text.delta', 0],
    ['response.reasoning_summary_text.done', 0],
    ['response.reasoning_summary_part.done', 0],
    ['response.content_part.added', 0],
    ['response.reasoning_text.delta', 0],
    ['response.reasoning_text.done', 0],
    ['response.content_part.done', 0],
    ['response.reasoning_summary_part.added', 1],
    ['response.reasoning_summary_text.delta', 1],
    ['response.reasoning_summary_text.done', 1],
    ['response.reasoning_summary_part.done', 1],
    ['response.output_item.done', undefined],
  ]);
});
