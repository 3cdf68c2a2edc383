import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { handClock } from '../../test/hand-clock.ts';
import { storeBetween } from '../../test/store-between.ts';
import { forEachStore } from '../../test/stores.ts';
import { secretVault } from '../catalog/secret-vault.ts';
import { recordEvent } from '../outbox/record-event.ts';
import type { Store } from '../store/store.ts';
import { pauseMs, cooldownMs } from './back-off.ts';
import { deliveriesOf, redeliver, sendTest } from './delivery-log.ts';
import type { Result } from './delivery.ts';
import { applyFileEndpoints } from './file-endpoints.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  webhookEndpointsOf,
  removeWebhookEndpoint,
  rotateSecret,
  secretsOf,
} from './webhook-endpoints.ts';
import { postEmail } from './post-email.ts';
import { outboxRetention } from './retention.ts';
import { Sender } from './sender.ts';
import { deliverTo, shareOut, type Tell, waitingMax } from './fan-out.ts';
import { dueEndpoints, takeTurn } from './delivery-leases.ts';

const clock = handClock();
const vault = secretVault(createSecretKey(Buffer.alloc(32, 5)));
const url = 'https://hooks.example.com/';

type Answer = Result | Promise<Result> | (() => Promise<Result>);

/** A sender whose receivers answer as a test says; the last answer repeats. */
function senderOn(store: Store, ...answers: readonly Answer[]) {
  const sent: { receiver: string; notice: string | null }[] = [];
  const urls: string[] = [];
  const sender = new Sender({
    store,
    clock,
    random: () => 0.5,
    send: async (receiver, delivery) => {
      sent.push({ receiver: receiver.id, notice: delivery.notice_id });
      urls.push(receiver.url);
      const answer = answers[Math.min(sent.length, answers.length) - 1] ?? { status: 200 };
      return typeof answer === 'function' ? answer() : answer;
    },
    onError: (error) => {
      throw error;
    },
  });
  const round = async (): Promise<void> => {
    await sender.round();
    await sender.settled();
  };
  return { sender, sent, urls, round };
}

forEachStore(({ open }) => {
  async function begin() {
    const store = await open();
    const { db } = store;
    const make = (accountId?: string) =>
      createWebhookEndpoint({ db, clock, vault }, { accountId, name: 'hook', url, kinds: undefined });
    const tell = (kind: 'key.created' | 'upstream.down', accountId?: string) =>
      recordEvent(db, { kind, accountId, at: clock.now(), data: { name: 'x' } });
    /** As if every pause were over. */
    const later = async (): Promise<void> => {
      await db.updateTable('deliveries').set({ next_at: 0 }).where('state', '=', 'waiting').execute();
      await db.updateTable('receivers').set({ rest_until: 0 }).execute();
    };
    /** Pauses and rests that have begun outlast the test, however slow the machine is. */
    const lengthen = async (): Promise<void> => {
      const more = (column: string) => sql<number>`${sql.ref(column)} + 240000`;
      await db
        .updateTable('deliveries')
        .set({ next_at: more('next_at') })
        .where('state', '=', 'waiting')
        .execute();
      await db
        .updateTable('receivers')
        .set({ rest_until: more('rest_until') })
        .execute();
    };
    const log = (accountId?: string) => deliveriesOf(db, { accountId, limit: 50 });
    return { store, db, make, tell, later, lengthen, log };
  }

  test('each hears what concerns it, once, however many senders there are', async () => {
    const { store, db, make, tell, log } = await begin();
    const { receiver: ann } = await make('acc_ann');
    const { receiver: bob } = await make('acc_bob');
    const { receiver: operators } = await make();
    await changeWebhookEndpoint(db, bob.id, { kinds: ['credit.added'] });
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
    // Nobody looks at them again: what was told long ago would keep what is new from being seen.
    expect(await db.selectFrom('notices').select('id').where('shared_at', 'is', null).execute()).toEqual([]);
  });

  test('of several processes one shares a notice out: it is told of once', async () => {
    const { store, db, tell } = await begin();
    const told: string[] = [];
    const processes = 4;
    let found = 0;
    const { promise: allFound, resolve: haveAllFound } = Promise.withResolvers<void>();
    // No process begins before each of them has found something to be told.
    const shared = storeBetween(store, async (work) => {
      found += 1;
      if (found === processes) haveAllFound();
      await allFound;
      return work();
    });
    const telling: Tell = async (tx, { id }) => {
      told.push(id);
      for (let looks = 0; looks < 5; looks += 1) await tx.selectFrom('notices').select('id').execute();
    };
    const ids = [(await tell('upstream.down')).id, (await tell('key.created', 'acc_ann')).id];
    await Promise.all(Array.from({ length: processes }, () => shareOut(shared, telling)));
    expect(told.toSorted()).toEqual(ids.toSorted());
    // Who comes to write the same letter all the same finds it there.
    const letter = { to: 'ann@example.com', subject: 'hello', text: 'secret', html: 'secret' };
    const noticeId = ids[0] ?? '';
    for (let twice = 0; twice < 2; twice += 1) await postEmail({ db, clock, vault }, letter, { noticeId });
    expect(await db.selectFrom('deliveries').select('target').execute()).toEqual([{ target: letter.to }]);
  });

  test('an account has a hundred letters a day, but for those about what happened to it', async () => {
    const { db, tell } = await begin();
    const letter = { to: 'ann@example.com', subject: 'hello', text: 'secret', html: 'secret' };
    const post = (more: object = {}) => postEmail({ db, clock, vault }, letter, { accountId: 'acc_ann', ...more });
    for (let sent = 0; sent < 100; sent += 1) expect(await post()).toBe(true);
    expect(await post()).toBe(false);
    expect(await post({ accountId: 'acc_bob' })).toBe(true);
    expect(await post({ noticeId: (await tell('key.created', 'acc_ann')).id })).toBe(true);
    expect(await db.selectFrom('deliveries').select('id').execute()).toHaveLength(102);
  });

  test('who waited longest has its turn first', async () => {
    const { store, db, make, tell } = await begin();
    const ids = [(await make()).receiver.id, (await make()).receiver.id];
    await tell('upstream.down');
    await shareOut(store);
    for (const order of [ids, ids.toReversed()]) {
      for (const [turn, id] of order.entries())
        await db.updateTable('receivers').set({ turn_at: turn }).where('id', '=', id).execute();
      expect(await dueEndpoints(db, 1)).toEqual(order.slice(0, 1));
    }
  });

  test('one that is paused hears nothing any more, not even the rest of its turn, and nothing of it later', async () => {
    const { store, db, make, tell, log } = await begin();
    const { receiver } = await make('acc_ann');
    await tell('key.created', 'acc_ann');
    await tell('key.created', 'acc_ann');
    const { sent, round } = senderOn(store, async () => {
      await changeWebhookEndpoint(db, receiver.id, { isOn: false });
      return { status: 200 };
    });
    await round();
    await tell('key.created', 'acc_ann');
    await round();
    expect(sent).toHaveLength(1);
    expect(await log('acc_ann')).toHaveLength(2);
    await changeWebhookEndpoint(db, receiver.id, { isOn: true });
    const later = senderOn(store);
    await later.round();
    expect(later.sent).toHaveLength(1);
  });

  test('an address that is changed in the middle of a turn is where the rest of it goes', async () => {
    const { store, db, make, tell } = await begin();
    const { receiver } = await make('acc_ann');
    await tell('key.created', 'acc_ann');
    await tell('key.created', 'acc_ann');
    const elsewhere = 'https://elsewhere.example.com/';
    const { urls, round } = senderOn(store, async () => {
      await changeWebhookEndpoint(db, receiver.id, { url: elsewhere });
      return { status: 200 };
    });
    await round();
    expect(urls).toEqual([url, elsewhere]);
  });

  test('a notice that cannot be told holds up no other, nor what waits to be sent', async () => {
    const { store, db, make, tell, log } = await begin();
    await make('acc_ann');
    await tell('key.created', 'acc_ann');
    await shareOut(store);
    const poison = await tell('upstream.down');
    await tell('key.created', 'acc_ann');
    const errors: unknown[] = [];
    const sender = new Sender({
      store,
      clock,
      random: () => 0.5,
      send: () => Promise.resolve({ status: 200 }),
      tell: (_tx, { id }) => (id === poison.id ? Promise.reject(new Error('no words for it')) : Promise.resolve()),
      onError: (error) => void errors.push(error),
    });
    await sender.round();
    await sender.settled();
    expect((await log('acc_ann')).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(errors.map(String)).toEqual([expect.stringContaining('no words for it')]);
    const untold = db.selectFrom('notices').select('id').where('shared_at', 'is', null);
    expect(await untold.execute()).toEqual([{ id: poison.id }]);
  });

  test('beyond so many that wait, what comes is given up at once', async () => {
    const { db, make, tell, log } = await begin();
    const { receiver } = await make('acc_ann');
    const notice = await tell('key.created', 'acc_ann');
    await deliverTo(db, notice, { wanted: [receiver], waiting: new Map([[receiver.id, waitingMax]]) });
    expect(await log('acc_ann')).toMatchObject([{ state: 'given-up', trail: [{ fault: 'too-many-waiting' }] }]);
  });

  test('a letter that is refused for good holds up no other; none is kept once it is over, and the mail is never switched off', async () => {
    const { store, db, tell, later, log } = await begin();
    const notice = await tell('upstream.down');
    const letter = (to: string) => ({ to, subject: 'hello', text: 'secret', html: 'secret' });
    await postEmail({ db, clock, vault }, letter('nobody@example.com'));
    await postEmail({ db, clock, vault }, letter('ann@example.com'), { noticeId: notice.id });
    const { sent, round } = senderOn(
      store,
      { status: 250 },
      { fault: 'mail-refused', isFinal: true },
      { fault: 'timeout' },
    );
    await round();
    expect(sent).toHaveLength(2);
    const rows = db.selectFrom('deliveries').select(['state', 'payload']).orderBy('state');
    expect(await rows.execute()).toEqual([
      { state: 'delivered', payload: null },
      { state: 'given-up', payload: null },
    ]);
    // What letters say is nobody's to look up among the webhooks.
    expect(await log()).toEqual([]);
    await postEmail({ db, clock, vault }, letter('ann@example.com'));
    await round();
    expect(sent).toHaveLength(3);
    for (let tries = 0; tries < 10; tries += 1) {
      await later();
      await db.updateTable('receivers').set({ failing_since: 1 }).where('failing_since', 'is not', null).execute();
      await round();
    }
    expect(sent).toHaveLength(13);
    expect(await db.selectFrom('receivers').select('status').execute()).toEqual([{ status: 'on' }]);
  });

  test('what fails is tried again with the same id until it is given up, and others do not wait for it', async () => {
    const { store, db, make, tell, later, lengthen, log } = await begin();
    await make('acc_ann');
    const first = await tell('key.created', 'acc_ann');
    const { sent, round } = senderOn(store, { fault: 'status', status: 500 }, { status: 204 }, { fault: 'timeout' });
    await round();
    const [failed] = await log('acc_ann');
    expect(failed).toMatchObject({ state: 'waiting', attempts: 1, trail: [{ fault: 'status', status: 500 }] });
    const rest = await db.selectFrom('receivers').select(['failing_since', 'rest_until']).executeTakeFirstOrThrow();
    const failedAt = rest.failing_since ?? 0;
    expect([rest.rest_until - failedAt, (failed?.nextAt ?? 0) - failedAt]).toEqual([cooldownMs(1), pauseMs(1, 0.5)]);
    await lengthen();
    const second = await tell('key.created', 'acc_ann');
    await round();
    // It has its rest, also from what is new.
    expect(sent).toHaveLength(1);
    await db.updateTable('receivers').set({ rest_until: 0 }).execute();
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
    // Asked for by somebody it goes at once, and has as many tries as at first.
    const tries = sent.length;
    await db
      .updateTable('receivers')
      .set({ rest_until: Date.now() + 60_000 })
      .execute();
    await redeliver(db, ended?.id ?? '');
    await round();
    expect(sent).toHaveLength(tries + 1);
    expect(await log('acc_ann')).toContainEqual(
      expect.objectContaining({ id: ended?.id, state: 'waiting', attempts: 1 }),
    );
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
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ status: 'failed' }]);
    const told = db.selectFrom('notices').selectAll().where('kind', '=', 'webhook.switched_off');
    expect(await told.execute()).toMatchObject([{ account_id: 'acc_ann' }]);
    await changeWebhookEndpoint(db, receiver.id, { isOn: true });
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ status: 'on', failingSince: undefined }]);
  });

  test('what a sender that died was at is sent by another; what it says afterwards changes nothing', async () => {
    const { store, db, make, tell, later, log } = await begin();
    const { receiver } = await make('acc_ann');
    await tell('key.created', 'acc_ann');
    await tell('key.created', 'acc_ann');
    let answer: (result: Result) => void = () => {};
    const hanging = senderOn(store, new Promise<Result>((resolve) => (answer = resolve)));
    await hanging.sender.round();
    await expect.poll(() => hanging.sent.length, { message: 'the first sender has begun' }).toBe(1);
    const next = senderOn(store, { fault: 'timeout' }, { status: 200 });
    await next.round();
    expect(next.sent).toEqual([]);
    expect(await takeTurn(db, receiver.id, 'another')).toBe(false);
    await db.updateTable('receivers').set({ claimed_until: 1 }).execute();
    await next.round();
    expect(next.sent).toEqual(hanging.sent);
    answer({ status: 200 });
    await hanging.sender.settled();
    // It neither counts a second try nor goes on with what is another's by now.
    expect(hanging.sent).toHaveLength(1);
    const waiting = (await log('acc_ann')).filter(({ attempts }) => attempts === 1);
    expect(waiting).toMatchObject([{ state: 'waiting', trail: [{ fault: 'timeout' }] }]);
    await later();
    await next.round();
    expect((await log('acc_ann')).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ failingSince: undefined }]);
  });

  test('a sender that is stopped ends the round it is in, and begins nothing more', async () => {
    const { store, make, tell } = await begin();
    await make('acc_ann');
    await tell('key.created', 'acc_ann');
    const inside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const sent: string[] = [];
    const sender = new Sender({
      store,
      clock,
      random: () => 0.5,
      send: async ({ id }) => ({ status: sent.push(id) }),
      tell: () => {
        inside.resolve();
        return goOn.promise;
      },
      onError: (error) => {
        throw error;
      },
    });
    const round = sender.round();
    await inside.promise;
    let isStopped = false;
    const stopped = sender.stop().then(() => {
      isStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    goOn.resolve();
    await Promise.all([round, stopped]);
    expect(sent).toEqual([]);
  });

  test('a receiver that hangs does not keep a sender from stopping', async () => {
    const { store, make, tell } = await begin();
    await make('acc_ann');
    await tell('key.created', 'acc_ann');
    const { sender, sent } = senderOn(store, new Promise<Result>(() => {}));
    await sender.round();
    await expect.poll(() => sent.length, { message: 'the sender waits for the receiver' }).toBe(1);
    const stopped = sender.stop();
    clock.pass(5000);
    await stopped;
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
    await applyFileEndpoints(db, [endpoint], clock);
    await applyFileEndpoints(db, [endpoint], clock);
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
    await applyFileEndpoints(db, [], clock);
    expect(await webhookEndpointsOf(db, undefined)).toMatchObject([{ id: receiver.id }]);
    await removeWebhookEndpoint(db, receiver.id);
    expect(await db.selectFrom('deliveries').select('id').execute()).toEqual([]);
  });

  test('what is old is deleted with its log, but for what nobody has been told of yet', async () => {
    const { store, db, make, tell, log } = await begin();
    await make('acc_ann');
    await tell('key.created', 'acc_ann');
    await senderOn(store).round();
    const untold = await tell('key.created', 'acc_ann');
    const rounds = outboxRetention({ store, clock, keepMs: () => -1, onError: expect.fail });
    rounds.start();
    await expect.poll(() => log('acc_ann'), { message: 'the log is deleted' }).toEqual([]);
    const notices = () => db.selectFrom('notices').select('id').execute();
    await expect.poll(notices, { message: 'the notice that was told is deleted' }).toEqual([{ id: untold.id }]);
    rounds.stop();
  });

  test('a secret is kept sealed, and signs beside its successor for as long as was said', async () => {
    const { db, make } = await begin();
    const { receiver, secret } = await make('acc_ann');
    const row = () => db.selectFrom('receivers').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(await row())).not.toContain(secret);
    const rotated = await rotateSecret({ db, vault }, receiver.id, clock.now() + 1000);
    expect(secretsOf(await row(), vault, clock.now())).toEqual([rotated.secret, secret]);
    expect(secretsOf(await row(), vault, clock.now() + 1000)).toEqual([rotated.secret]);
    const moved = { ...(await row()), id: 'whk_other' };
    expect(secretsOf(moved, vault, clock.now())).toEqual([]);
  });
});

test('pauses grow, are bounded, and are never all the same', () => {
  expect([1, 2, 3, 20].map((attempts) => pauseMs(attempts, 0.5))).toEqual([10_000, 30_000, 90_000, 28_800_000]);
  expect([pauseMs(1, 0), pauseMs(1, 1)]).toEqual([8000, 12_000]);
  expect([1, 2, 20].map(cooldownMs)).toEqual([5000, 10_000, 300_000]);
});
