import { expect, test } from 'vitest';
import { chatRequest } from '../../../../test/call-upstream.ts';
import { ManualFlow, CollectingSink, textDelta } from '../../../../test/fakes/flows.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { Candidate } from '../../routing/candidates/candidates.ts';
import { enforceConstraints } from './guaranteed.ts';

test.each([
  ['is streamed as it arrives', false, ['{"a":1', ',"b":2}']],
  ['is held until it is complete for a client that gets one body anyway', true, ['', '{"a":1,"b":2}']],
])('JSON %s', (_, isJsonReply, expected) => {
  const provider = new ManualFlow();
  const client = new CollectingSink();
  const candidate = { upstream: { adapter: {} } } as Candidate;
  const { flow } = enforceConstraints(
    { flow: provider, candidate },
    {
      model: { routes: [], continue: 'never' } as Partial<Model> as Model,
      request: { ...chatRequest(), answerFormat: 'json' },
      isJsonReply,
      upstream: () => undefined,
      report: () => undefined,
      clock: manualClock(),
      schemas: undefined,
      addToBill: (each) => each,
    },
  );
  flow.start(client);
  const texts = [
    [textDelta('{"a":1,')],
    [textDelta('"b":2}'), { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' } as const],
  ].map((batch) => {
    const before = client.batches.length;
    provider.sink?.events(batch);
    const passed = client.batches.slice(before).flat();
    return passed.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  });
  expect(texts).toEqual(expected);
});
