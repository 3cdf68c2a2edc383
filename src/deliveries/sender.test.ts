import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.ts';
import { forEachStore } from '../../test/stores.ts';
import { secretVault } from '../catalog/secret-vault.ts';
import { recordNotice } from '../notices/record-notice.ts';
import type { Store } from '../store/store.ts';
import { pauseMs, restMs } from './back-off.ts';
import { deliveriesOf, redeliver, sendTest } from './delivery-log.ts';
import type { Result } from './delivery.ts';
import { applyFileReceivers } from './file-receivers.ts';
import { changeReceiver, makeReceiver, receiversOf, rollSecret, secretsOf } from './receivers.ts';
import { Sender } from './sender.ts';
import { takeTurn } from './turns.ts';

const clock = handClock();
const vault = secretVault(createSecretKey(Buffer.alloc(32, 5)));
const url = 'https://hooks.example.com/';

/** A sender whose receivers answer as a test says; the last answer repeats. */
function senderOn(store: Store, ...answers: readonly (Result | Promise<Result>)[]) {
  const sent: { receiver: string; notice: string | null }[] = [];
  const sender = new Sender({
    store,
    clock,
    random: () => 0.5,
    send: async (receiver, delivery) => {
      sent.push({ receiver: receiver.id, notice: delivery.notice_id });
      return (await answers[Math.min(sent.length, answers.length) - 1]) ?? { status: 200 };
    },
    onTrouble: (error) => {
      throw error;
    },
  });
  const round = async (): Promise<void> => {
    await sender.round();
    await sender.settled();
  };
  return { sender, sent, round };
}

forEachStore(({ open }) => {
  async function begin() {
    const store = await open();
    const { db } = store;
    const make = (accountId?: string) =>
      makeReceiver({ db, clock, vault }, { accountId, name: 'hook', url, kinds: undefined });
    const tell = (kind: 'key.created' | 'upstream.down', accountId?: string) =>
      recordNotice(db, { kind, accountId, at: clock.now(), data: { name: 'x' } });
    /** As if every pause were over. */
    const later = async (): Promise<void> => {
      await db.updateTable('deliveries').set({ next_at: 0 }).where('state', '=', 'waiting').execute();
      await db.updateTable('receivers').set({ rest_until: 0 }).execute();
    };
    const log = (accountId?: string) => deliveriesOf(db, { accountId, limit: 50 });
    return { store, db, make, tell, later, log };
  }

  test('each hears what concerns it, once, however many senders there are', async () => {
    const { store, db, make, tell, log } = await begin();
    const { receiver: ann } = await make('acc_ann');
    const { receiver: bob } = await make('acc_bob');
    const { receiver: operators } = await make();
    await changeReceiver(db, bob.id, { kinds: ['credit.added'] });
    const created = await tell('key.created', 'acc_ann');
    const down = await tell('upstream.down');
    await tell('key.created', 'acc_bob');
    const [one, other] = [senderOn(store), senderOn(store)];
    for (let again = 0; again < 3; again += 1) await Promise.all([one.round(), other.round()]);
    const sent = [...one.sent, ...other.sent];
    expect(sent.filter(({ receiver }) => receiver === ann.id)).toEqual([{ receiver: ann.id, notice: created.id }]);
    expect(sent.filter(({ receiver }) => receiver === bob.id)).toEqual([]);
    const heard = sent.filter(({ receiver }) => receiver === operators.id).map(({ notice }) => notice);
    expect(heard).toHaveLength(3);
    expect(heard).toContain(down.id);
    expect(await log('acc_ann')).toMatchObject([{ state: 'delivered', attempts: 1, trail: [{ status: 200 }] }]);
  });

  test('what fails is tried again with the same id until it is given up, and others do not wait for it', async () => {
    const { store, db, make, tell, later, log } = await begin();
    await make('acc_ann');
    const first = await tell('key.created', 'acc_ann');
    const { sent, round } = senderOn(store, { fault: 'status', status: 500 }, { status: 204 }, { fault: 'timeout' });
    await round();
    const [failed] = await log('acc_ann');
    expect(failed).toMatchObject({ state: 'waiting', attempts: 1, trail: [{ fault: 'status', status: 500 }] });
    await round();
    expect(sent).toHaveLength(1);
    await db.updateTable('receivers').set({ rest_until: 0 }).execute();
    const second = await tell('key.created', 'acc_ann');
    await round();
    expect(sent.map(({ notice }) => notice)).toEqual([first.id, second.id]);
    for (let tries = 0; tries < 12; tries += 1) {
      await later();
      await db.updateTable('deliveries').set({ first_at: 0 }).execute();
      await round();
    }
    const ended = (await log('acc_ann')).find(({ noticeId }) => noticeId === first.id);
    expect(ended).toMatchObject({ state: 'given-up', attempts: 10, nextAt: undefined });
    expect(new Set(sent.slice(2).map(({ notice }) => notice))).toEqual(new Set([first.id]));
  });

  test('an address that takes nothing for days is switched off, and its owners are told', async () => {
    const { store, db, make, tell, later } = await begin();
    const { receiver } = await make('acc_ann');
    await tell('key.created', 'acc_ann');
    const { sent, round } = senderOn(store, { fault: 'unreachable' });
    for (let tries = 0; tries < 12; tries += 1) {
      await later();
      await db.updateTable('receivers').set({ failing_since: 1 }).where('failing_since', 'is not', null).execute();
      await round();
    }
    expect(sent).toHaveLength(10);
    expect(await receiversOf(db, 'acc_ann')).toMatchObject([{ status: 'failed' }]);
    const told = db.selectFrom('notices').selectAll().where('kind', '=', 'webhook.switched_off');
    expect(await told.execute()).toMatchObject([{ account_id: 'acc_ann' }]);
    await changeReceiver(db, receiver.id, { isOn: true });
    expect(await receiversOf(db, 'acc_ann')).toMatchObject([{ status: 'on', failingSince: undefined }]);
  });

  test('what a sender that died was at is sent by another; what it says afterwards changes nothing', async () => {
    const { store, db, make, tell, log } = await begin();
    const { receiver } = await make('acc_ann');
    await tell('key.created', 'acc_ann');
    let answer: (result: Result) => void = () => {};
    const hanging = senderOn(store, new Promise<Result>((resolve) => (answer = resolve)));
    await hanging.sender.round();
    await expect.poll(() => hanging.sent.length).toBe(1);
    const next = senderOn(store);
    await next.round();
    expect(next.sent).toEqual([]);
    expect(await takeTurn(db, receiver.id, 'another')).toBeUndefined();
    await db.updateTable('receivers').set({ claimed_until: 1 }).execute();
    await next.round();
    expect(next.sent).toEqual(hanging.sent);
    answer({ fault: 'timeout' });
    await hanging.sender.stop();
    expect(await log('acc_ann')).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    expect(await receiversOf(db, 'acc_ann')).toMatchObject([{ failingSince: undefined }]);
  });

  test('a clock that is put back keeps nothing waiting, whatever it said before', async () => {
    const { store, db, make, tell } = await begin();
    await make('acc_ann');
    await tell('key.created', 'acc_ann');
    const { sent, round } = senderOn(store, { fault: 'timeout' }, { status: 200 });
    await round();
    const farAway = Date.now() * 2;
    await db.updateTable('deliveries').set({ next_at: farAway }).execute();
    await db.updateTable('receivers').set({ rest_until: farAway, claimed_until: farAway }).execute();
    await round();
    expect(sent).toHaveLength(2);
  });

  test('something is sent again, and tried out, when somebody asks; the file has receivers too', async () => {
    const { store, db, make, tell, log } = await begin();
    const { receiver } = await make();
    const endpoint = { name: 'filed', url, secret: 's'.repeat(24), events: ['upstream.down' as const] };
    await applyFileReceivers(db, [endpoint], clock);
    await applyFileReceivers(db, [endpoint], clock);
    await tell('upstream.down');
    const { sent, round } = senderOn(store);
    await round();
    expect(sent.map(({ receiver: id }) => id).toSorted()).toEqual([receiver.id, 'whk_file_filed'].toSorted());
    const [delivery] = (await log()).filter(({ receiverId }) => receiverId === receiver.id);
    await redeliver(db, delivery?.id ?? '');
    await sendTest({ db, clock }, receiver);
    await round();
    expect(sent).toHaveLength(4);
    expect((await log()).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    await applyFileReceivers(db, [], clock);
    expect(await receiversOf(db, undefined)).toMatchObject([{ id: receiver.id }]);
  });

  test('a secret is kept sealed, and signs beside its successor for as long as was said', async () => {
    const { db, make } = await begin();
    const { receiver, secret } = await make('acc_ann');
    const row = () => db.selectFrom('receivers').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(await row())).not.toContain(secret);
    const rolled = await rollSecret({ db, vault }, receiver.id, clock.now() + 1000);
    expect(secretsOf(await row(), vault, clock.now())).toEqual([rolled.secret, secret]);
    expect(secretsOf(await row(), vault, clock.now() + 1000)).toEqual([rolled.secret]);
    const moved = { ...(await row()), id: 'whk_other' };
    expect(secretsOf(moved, vault, clock.now())).toEqual([]);
  });
});

test('pauses grow, are bounded, and are never all the same', () => {
  expect([1, 2, 3, 20].map((attempts) => pauseMs(attempts, 0.5))).toEqual([10_000, 30_000, 90_000, 28_800_000]);
  expect([pauseMs(1, 0), pauseMs(1, 1)]).toEqual([8000, 12_000]);
  expect([1, 2, 20].map(restMs)).toEqual([5000, 10_000, 300_000]);
});
