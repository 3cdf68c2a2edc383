import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../../../test/stores/stores.ts';
import { secretVault } from '../../../../platform/secrets/secret-vault.ts';
import { ReplyClaims } from '../../../../platform/cluster/reply-claims.ts';
import { backgroundOpening, comment, eventFrame } from 'chat-formats/responses/answer/event-log.ts';
import type { Store } from '../../../../platform/store/store.ts';
import { IdempotencyClaims, ownerOf } from '../../replies/idempotency-claims.ts';
import { InFlightResponses } from '../in-flight-responses.ts';
import { EventRelay } from './event-relay.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
const first = backgroundOpening.length;
const frame = (number: number) => eventFrame('keepalive', number, '');

function relayOf(store: Store, process: string) {
  const clock = manualClock();
  const claims = new ReplyClaims(store, (error) => expect.unreachable(String(error)));
  const peers = {
    process,
    isKnown: true,
    sightingOf: () => Promise.resolve({ presence: 'alive', reports: 1 } as const),
  };
  const replies = new IdempotencyClaims({ clock, claims, vault, peers });
  const inFlight = new InFlightResponses();
  const requests = { markStreamed: () => Promise.resolve(true) };
  const onError = (error: unknown) => expect.unreachable(String(error));
  return { clock, inFlight, relay: new EventRelay({ claims, replies, inFlight, requests, onError }) };
}

forEachStore(({ open }) => {
  test('events reach readers in other processes while they are read, sealed like other replies, and go with the attempt', async () => {
    const store = await open();
    const [one, other] = [relayOf(store, 'one'), relayOf(store, 'other')];
    const pieces = () => store.db.selectFrom('reply_pieces').selectAll().execute();
    const claims = () => store.db.selectFrom('reply_claims').select('read_until').execute();
    const attempt = Promise.withResolvers<void>();
    const during = one.relay.during('r1', 'resp_1', () => attempt.promise);
    one.inFlight.add('resp_1', {
      accountId: 'ann',
      requestId: 'r1',
      input: [],
      soFar: { response: {}, score: [...backgroundOpening, 'k'] },
    });
    await expect.poll(claims, { message: 'the attempt holds a claim' }).toEqual([{ read_until: null }]);
    expect(await other.relay.read('r1', first)).toBe('');
    const read = async (from: number) => {
      one.clock.advance(300);
      return other.relay.read('r1', from);
    };
    await expect.poll(() => read(first), { message: 'the event before the first read' }).toBe(frame(first));
    one.inFlight.send('resp_1', comment);
    one.inFlight.send('resp_1', comment + frame(first + 1));
    await expect.poll(() => read(first + 1), { message: 'a later event' }).toContain(frame(first + 1));
    expect(await pieces()).toMatchObject([
      { claim: 'r1', start: 0, length: 1 },
      { claim: 'r1', start: 1, length: 1 },
    ]);
    for (const { sealed } of await pieces()) expect(vault.open(ownerOf('r1'), sealed)).toMatchObject({ ok: true });
    attempt.resolve();
    await during;
    await expect.poll(async () => [await claims(), await pieces()], { message: 'nothing is left' }).toEqual([[], []]);
  });
});
