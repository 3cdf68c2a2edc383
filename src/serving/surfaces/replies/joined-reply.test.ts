import { expect, test } from 'vitest';
import { FakeClient } from '../../../../test/fakes/fake-client.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { Caller, KeyHolder } from '../../../core/caller.ts';
import { ServedRequest } from '../served-request.ts';
import { joinReply } from './joined-reply.ts';
import { Replays } from './replays.ts';
import { SharedReply } from './shared-reply.ts';

const path = '/v1/chat/completions';
const caller = { key: { keyId: 'key_1' }, site: 'main' } as Caller;

test('a retry generates its own reply if the earlier one fails while the key of the retry is confirmed', async () => {
  const clock = manualClock();
  const parts = { clock, replays: new Replays(clock), claims: undefined };
  const join = (confirm: () => Promise<KeyHolder>) => {
    const request = new ServedRequest({ id: 'r', path }, caller, clock);
    const terms = { idempotencyKey: 'name', isRetry: false };
    const exchange = { ...new FakeClient(1000).exchange, path };
    const reply = new SharedReply({ request, exchange, clock, terms });
    const candidate = { caller, reply, running: { signal: reply.gone }, confirm };
    const decoded = { digest: 'digest', asks: () => {}, model: () => 'model', errorFrame: () => '' };
    return { reply, end: joinReply(parts, exchange, candidate, decoded) };
  };
  const first = join(() => Promise.resolve(caller.key));
  expect(await first.end).toBeUndefined();
  const { promise: confirmed, resolve } = Promise.withResolvers<KeyHolder>();
  const second = join(() => confirmed);
  const error = new Error('no answer');
  first.reply.fail(error);
  first.reply.close({ error, isClientGone: false, isCommitted: false });
  resolve(caller.key);
  expect(await second.end).toBeUndefined();
});
