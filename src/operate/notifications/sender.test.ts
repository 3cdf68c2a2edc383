import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { organisations } from '../../money/accounts/organisations.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { storingRequests } from '../../money/requests/request-writer.ts';
import { recordWith } from '../../../test/fixtures/requests/record.ts';
import { recordEvent } from '../../platform/outbox/record-event.ts';
import type { Store } from '../../platform/store/store.ts';
import { retryDelayMs, cooldownMs } from './back-off.ts';
import { deliveriesOf, redeliver, sendTest } from './delivery-log.ts';
import type { Result } from './delivery.ts';
import { applyFileEndpoints } from './webhooks/file-endpoints.ts';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  webhookEndpointsOf,
  removeWebhookEndpoint,
  rotateSecret,
  secretsOf,
} from './webhooks/webhook-endpoints.ts';
import { postEmail } from './email/post-email.ts';
import { outboxRetention } from './retention.ts';
import { Sender } from './sender.ts';
import { deliverTo, fanOut, type EmailWriter, waitingMax } from './fan-out.ts';
import { dueEndpoints, claimEndpoint } from './delivery-leases.ts';

const clock = manualClock();
const vault = secretVault(createSecretKey(Buffer.alloc(32, 5)));
const url = 'https://hooks.example.com/';

type Answer = Result | Promise<Result> | (() => Promise<Result>);

/** A sender whose endpoints answer with `answers` in order; the last answer repeats. */
function senderOn(store: Store, ...answers: readonly Answer[]) {
  const sent: { endpoint: string; event: string | null }[] = [];
  const urls: string[] = [];
  const sender = new Sender({
    store,
    clock,
    random: () => 0.5,
    send: async (endpoint, delivery) => {
      sent.push({ endpoint: endpoint.id, event: delivery.event_id });
      urls.push(endpoint.url);
      const answer = answers[Math.min(sent.length, answers.length) - 1] ?? { status: 200 };
      return typeof answer === 'function' ? answer() : answer;
    },
    onError: (error) => {
      throw error;
    },
  });
  const poll = async (): Promise<void> => {
    await sender.poll();
    await sender.settled();
  };
  return { sender, sent, urls, poll };
}

forEachStore(({ open }) => {
  async function begin() {
    const store = await open();
    const { db } = store;
    const make = async (accountId?: string) => {
      const input = { accountId, name: 'hook', url, kinds: undefined };
      const { endpoint, secret } = await createWebhookEndpoint({ db, clock, vault }, input);
      return { endpoint, secret };
    };
    const record = (kind: 'key.created' | 'upstream.down', accountId?: string) =>
      recordEvent(db, { kind, accountId, at: clock.now(), data: { name: 'x' } });
    /** Ends every retry delay and cooldown. */
    const endDelays = async (): Promise<void> => {
      await db.updateTable('deliveries').set({ next_at: 0 }).where('state', '=', 'waiting').execute();
      await db.updateTable('delivery_endpoints').set({ cooldown_until: 0 }).execute();
    };
    /** Extends running retry delays and cooldowns by 4 minutes, so that they outlast the test on a slow machine. */
    const extendDelays = async (): Promise<void> => {
      const more = (column: string) => sql<number>`${sql.ref(column)} + 240000`;
      await db
        .updateTable('deliveries')
        .set({ next_at: more('next_at') })
        .where('state', '=', 'waiting')
        .execute();
      await db
        .updateTable('delivery_endpoints')
        .set({ cooldown_until: more('cooldown_until') })
        .execute();
    };
    const log = (accountId?: string) => deliveriesOf(db, { accountId, limit: 50 });
    return { store, db, make, record, endDelays, extendDelays, log };
  }

  test('a completed request is sent with its cost, once, and only to endpoints that name the event', async () => {
    const { store, db, make } = await begin();
    const requests = [
      recordWith({ id: 'r1', accountId: 'acc_ann', cost: 1_200_000n, status: 200 }),
      recordWith({ id: 'r2', accountId: 'acc_bob', cost: undefined, status: 503 }),
    ];
    const { endpoint: ann } = await make('acc_ann');
    await make();
    await store.commit(storingRequests, [recordWith({ id: 'r0', accountId: 'acc_ann' })]);
    await changeWebhookEndpoint(db, ann.id, { kinds: ['request.completed'] });
    await store.commit(storingRequests, requests);
    await store.commit(storingRequests, requests);
    const events = await db.selectFrom('events').select(['id', 'account_id', 'data']).execute();
    expect(events.map(({ account_id: id, data }) => [id, JSON.parse(data)])).toMatchObject([
      ['acc_ann', { request_id: 'r1', status: 200, cost: '0.0012' }],
    ]);
    const { sent, poll } = senderOn(store);
    await poll();
    expect(sent).toEqual([{ endpoint: ann.id, event: events[0]?.id }]);
    // Operators who name it get the requests of all accounts.
    const { endpoint: operators } = await make();
    await changeWebhookEndpoint(db, operators.id, { kinds: ['request.completed'] });
    await store.commit(storingRequests, [recordWith({ ...requests[1], id: 'r3' })]);
    await poll();
    expect(sent.slice(1)).toMatchObject([{ endpoint: operators.id }]);
  });

  test('an event about a limit of an organisation goes to endpoints of its accounts and of operators, and to no other', async () => {
    const { store, db, make } = await begin();
    const { id: organisationId } = await organisations(store, clock).create({ name: 'acme' });
    const book = accounts(store, clock);
    const [ann, ben, eve] = await Promise.all(
      ['ann', 'ben', 'eve'].map(async (name) => {
        const terms = name === 'eve' ? {} : { organisationId };
        return (await make((await book.create({ name, packageName: 'standard', ...terms })).id)).endpoint.id;
      }),
    );
    const { endpoint: operators } = await make();
    const data = { scope: 'organisation', organisation_id: organisationId };
    await recordEvent(db, { kind: 'limit.threshold', accountId: undefined, at: clock.now(), data });
    await fanOut(store);
    const deliveries = await db.selectFrom('deliveries').select('endpoint_id').execute();
    const reached = deliveries.map(({ endpoint_id: id }) => id);
    expect(new Set(reached)).toEqual(new Set([ann, ben, operators.id]));
    expect(reached).not.toContain(eve);
  });

  test('each endpoint receives its events once, regardless of the number of senders', async () => {
    const { store, db, make, record, log } = await begin();
    const { endpoint: ann } = await make('acc_ann');
    const { endpoint: bob } = await make('acc_bob');
    const { endpoint: operators } = await make();
    await changeWebhookEndpoint(db, bob.id, { kinds: ['credit.added'] });
    const created = await record('key.created', 'acc_ann');
    const down = await record('upstream.down');
    await record('key.created', 'acc_bob');
    const [one, other] = [senderOn(store), senderOn(store)];
    for (let again = 0; again < 3; again += 1) await Promise.all([one.poll(), other.poll()]);
    const sent = [...one.sent, ...other.sent];
    expect(sent.filter(({ endpoint }) => endpoint === ann.id)).toEqual([{ endpoint: ann.id, event: created.id }]);
    expect(sent.filter(({ endpoint }) => endpoint === bob.id)).toEqual([]);
    const received = sent.filter(({ endpoint }) => endpoint === operators.id).map(({ event }) => event);
    expect(received).toHaveLength(3);
    expect(received).toContain(down.id);
    expect(await log('acc_ann')).toMatchObject([{ state: 'delivered', attemptCount: 1, attempts: [{ status: 200 }] }]);
    // All are marked as fanned out. Unmarked old events would keep filling the batches.
    expect(await db.selectFrom('events').select('id').where('fanned_out_at', 'is', null).execute()).toEqual([]);
  });

  test('one of several processes fans an event out, so its e-mail is written once', async () => {
    const { store, db, record } = await begin();
    const emailed: string[] = [];
    const processes = 4;
    let found = 0;
    const { promise: allFound, resolve: resolveAllFound } = Promise.withResolvers<void>();
    // No transaction starts before every process has found pending events.
    const shared = storeBetween(store, async (work) => {
      found += 1;
      if (found === processes) resolveAllFound();
      await allFound;
      return work();
    });
    const writeEmails: EmailWriter = async (tx, { id }) => {
      emailed.push(id);
      for (let looks = 0; looks < 5; looks += 1) await tx.selectFrom('events').select('id').execute();
    };
    const ids = [(await record('upstream.down')).id, (await record('key.created', 'acc_ann')).id];
    await Promise.all(Array.from({ length: processes }, () => fanOut(shared, writeEmails)));
    expect(emailed.toSorted()).toEqual(ids.toSorted());
    // A second e-mail for the same event and recipient is ignored.
    const email = { to: 'ann@example.com', subject: 'hello', text: 'secret', html: 'secret' };
    const eventId = ids[0] ?? '';
    for (let twice = 0; twice < 2; twice += 1) await postEmail({ db, clock, vault }, email, { eventId });
    expect(await db.selectFrom('deliveries').select('target').execute()).toEqual([{ target: email.to }]);
  });

  test('an account may send 100 e-mails a day; e-mails about events are always sent', async () => {
    const { db, record } = await begin();
    const email = { to: 'ann@example.com', subject: 'hello', text: 'secret', html: 'secret' };
    const post = (more: object = {}) => postEmail({ db, clock, vault }, email, { accountId: 'acc_ann', ...more });
    for (let sent = 0; sent < 100; sent += 1) expect(await post()).toBe(true);
    expect(await post()).toBe(false);
    expect(await post({ accountId: 'acc_bob' })).toBe(true);
    expect(await post({ eventId: (await record('key.created', 'acc_ann')).id })).toBe(true);
    expect(await db.selectFrom('deliveries').select('id').execute()).toHaveLength(102);
  });

  test('the sender serves the endpoint that waited longest first', async () => {
    const { store, db, make, record } = await begin();
    const ids = [(await make()).endpoint.id, (await make()).endpoint.id];
    await record('upstream.down');
    await fanOut(store);
    for (const order of [ids, ids.toReversed()]) {
      for (const [turn, id] of order.entries())
        await db.updateTable('delivery_endpoints').set({ served_at: turn }).where('id', '=', id).execute();
      expect(await dueEndpoints(db, 1)).toEqual(order.slice(0, 1));
    }
  });

  test('a paused endpoint gets nothing until it is on again, and never the events of its pause', async () => {
    const { store, db, make, record, log } = await begin();
    const { endpoint } = await make('acc_ann');
    await record('key.created', 'acc_ann');
    await record('key.created', 'acc_ann');
    const { sent, poll } = senderOn(store, async () => {
      await changeWebhookEndpoint(db, endpoint.id, { isOn: false });
      return { status: 200 };
    });
    await poll();
    await record('key.created', 'acc_ann');
    await poll();
    expect(sent).toHaveLength(1);
    expect(await log('acc_ann')).toHaveLength(2);
    await changeWebhookEndpoint(db, endpoint.id, { isOn: true });
    const resumed = senderOn(store);
    await resumed.poll();
    expect(resumed.sent).toHaveLength(1);
  });

  test('a changed address applies to the remaining deliveries of a claim', async () => {
    const { store, db, make, record } = await begin();
    const { endpoint } = await make('acc_ann');
    await record('key.created', 'acc_ann');
    await record('key.created', 'acc_ann');
    const elsewhere = 'https://elsewhere.example.com/';
    const { urls, poll } = senderOn(store, async () => {
      await changeWebhookEndpoint(db, endpoint.id, { url: elsewhere });
      return { status: 200 };
    });
    await poll();
    expect(urls).toEqual([url, elsewhere]);
  });

  test('an event that cannot be fanned out blocks neither other events nor waiting deliveries', async () => {
    const { store, db, make, record, log } = await begin();
    await make('acc_ann');
    await record('key.created', 'acc_ann');
    await fanOut(store);
    const poison = await record('upstream.down');
    await record('key.created', 'acc_ann');
    const errors: unknown[] = [];
    const sender = new Sender({
      store,
      clock,
      random: () => 0.5,
      send: () => Promise.resolve({ status: 200 }),
      writeEmails: (_tx, { id }) => (id === poison.id ? Promise.reject(new Error('no template')) : Promise.resolve()),
      onError: (error) => void errors.push(error),
    });
    await sender.poll();
    await sender.settled();
    expect((await log('acc_ann')).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(errors.map(String)).toEqual([expect.stringContaining('no template')]);
    const pending = db.selectFrom('events').select('id').where('fanned_out_at', 'is', null);
    expect(await pending.execute()).toEqual([{ id: poison.id }]);
  });

  test('an endpoint with 10,000 waiting deliveries gets no more: new ones are given up at once', async () => {
    const { db, make, record, log } = await begin();
    const { endpoint } = await make('acc_ann');
    const event = await record('key.created', 'acc_ann');
    await deliverTo(db, event, { endpoints: [endpoint], waiting: new Map([[endpoint.id, waitingMax]]) });
    expect(await log('acc_ann')).toMatchObject([{ state: 'given-up', attempts: [{ fault: 'too-many-waiting' }] }]);
  });

  test('a permanently refused e-mail blocks no other, contents are deleted at the end, and mail is never switched off', async () => {
    const { store, db, record, endDelays, log } = await begin();
    const event = await record('upstream.down');
    const email = (to: string) => ({ to, subject: 'hello', text: 'secret', html: 'secret' });
    await postEmail({ db, clock, vault }, email('stranger@example.com'));
    await postEmail({ db, clock, vault }, email('ann@example.com'), { eventId: event.id });
    const { sent, poll } = senderOn(
      store,
      { status: 250 },
      { fault: 'mail-refused', isFinal: true },
      { fault: 'timeout' },
    );
    await poll();
    expect(sent).toHaveLength(2);
    const rows = db.selectFrom('deliveries').select(['state', 'payload']).orderBy('state');
    expect(await rows.execute()).toEqual([
      { state: 'delivered', payload: null },
      { state: 'given-up', payload: null },
    ]);
    // The webhook log contains no e-mails.
    expect(await log()).toEqual([]);
    await postEmail({ db, clock, vault }, email('ann@example.com'));
    await poll();
    expect(sent).toHaveLength(3);
    for (let tries = 0; tries < 10; tries += 1) {
      await endDelays();
      await db
        .updateTable('delivery_endpoints')
        .set({ failing_since: 1 })
        .where('failing_since', 'is not', null)
        .execute();
      await poll();
    }
    expect(sent).toHaveLength(13);
    expect(await db.selectFrom('delivery_endpoints').select('status').execute()).toEqual([{ status: 'on' }]);
  });

  test('a failed delivery is retried under the same id until it is given up, and does not block others', async () => {
    const { store, db, make, record, endDelays, extendDelays, log } = await begin();
    await make('acc_ann');
    const first = await record('key.created', 'acc_ann');
    const { sent, poll } = senderOn(store, { fault: 'status', status: 500 }, { status: 204 }, { fault: 'timeout' });
    await poll();
    const [failed] = await log('acc_ann');
    expect(failed).toMatchObject({ state: 'waiting', attemptCount: 1, attempts: [{ fault: 'status', status: 500 }] });
    const state = await db
      .selectFrom('delivery_endpoints')
      .select(['failing_since', 'cooldown_until'])
      .executeTakeFirstOrThrow();
    const failedAt = state.failing_since ?? 0;
    expect([state.cooldown_until - failedAt, (failed?.nextAt ?? 0) - failedAt]).toEqual([
      cooldownMs(1),
      retryDelayMs(1, 0.5),
    ]);
    await extendDelays();
    const second = await record('key.created', 'acc_ann');
    await poll();
    // The cooldown also delays new deliveries.
    expect(sent).toHaveLength(1);
    await db.updateTable('delivery_endpoints').set({ cooldown_until: 0 }).execute();
    await poll();
    expect(sent.map(({ event }) => event)).toEqual([first.id, second.id]);
    for (let tries = 0; tries < 12; tries += 1) {
      await endDelays();
      await db.updateTable('deliveries').set({ first_at: 0 }).execute();
      await poll();
    }
    const ended = (await log('acc_ann')).find(({ eventId }) => eventId === first.id);
    expect(ended).toMatchObject({ state: 'given-up', attemptCount: 10, nextAt: undefined });
    expect(new Set(sent.slice(2).map(({ event }) => event))).toEqual(new Set([first.id]));
    // A redelivery is sent at once and has all its attempts again.
    const tries = sent.length;
    await db
      .updateTable('delivery_endpoints')
      .set({ cooldown_until: Date.now() + 60_000 })
      .execute();
    await redeliver(db, ended?.id ?? '');
    await poll();
    expect(sent).toHaveLength(tries + 1);
    expect(await log('acc_ann')).toContainEqual(
      expect.objectContaining({ id: ended?.id, state: 'waiting', attemptCount: 1 }),
    );
  });

  test('an endpoint that fails for days is switched off, and an event records it', async () => {
    const { store, db, make, record, endDelays } = await begin();
    const { endpoint } = await make('acc_ann');
    await record('key.created', 'acc_ann');
    const { sent, poll } = senderOn(store, { fault: 'unreachable' });
    for (let tries = 0; tries < 12; tries += 1) {
      await endDelays();
      await db
        .updateTable('delivery_endpoints')
        .set({ failing_since: 1 })
        .where('failing_since', 'is not', null)
        .execute();
      await poll();
    }
    expect(sent).toHaveLength(10);
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ status: 'failed' }]);
    const events = db.selectFrom('events').selectAll().where('kind', '=', 'webhook.switched_off');
    expect(await events.execute()).toMatchObject([{ account_id: 'acc_ann' }]);
    await changeWebhookEndpoint(db, endpoint.id, { isOn: true });
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ status: 'on', failingSince: undefined }]);
  });

  test('another sender takes over from an expired one, whose late result is ignored', async () => {
    const { store, db, make, record, endDelays, log } = await begin();
    const { endpoint } = await make('acc_ann');
    await record('key.created', 'acc_ann');
    await record('key.created', 'acc_ann');
    let answer: (result: Result) => void = () => {};
    const hanging = senderOn(store, new Promise<Result>((resolve) => (answer = resolve)));
    await hanging.sender.poll();
    await expect.poll(() => hanging.sent.length, { message: 'the first sender has begun' }).toBe(1);
    const next = senderOn(store, { fault: 'timeout' }, { status: 200 });
    await next.poll();
    expect(next.sent).toEqual([]);
    expect(await claimEndpoint(db, endpoint.id, 'another')).toBe(false);
    await db.updateTable('delivery_endpoints').set({ claimed_until: 1 }).execute();
    await next.poll();
    expect(next.sent).toEqual(hanging.sent);
    answer({ status: 200 });
    await hanging.sender.settled();
    // The late result adds no attempt, and the first sender does not continue.
    expect(hanging.sent).toHaveLength(1);
    const waiting = (await log('acc_ann')).filter(({ attemptCount }) => attemptCount === 1);
    expect(waiting).toMatchObject([{ state: 'waiting', attempts: [{ fault: 'timeout' }] }]);
    await endDelays();
    await next.poll();
    expect((await log('acc_ann')).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(await webhookEndpointsOf(db, 'acc_ann')).toMatchObject([{ failingSince: undefined }]);
  });

  test('a stopped sender finishes its current poll and starts nothing new', async () => {
    const { store, make, record } = await begin();
    await make('acc_ann');
    await record('key.created', 'acc_ann');
    const inside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const sent: string[] = [];
    const sender = new Sender({
      store,
      clock,
      random: () => 0.5,
      send: async ({ id }) => ({ status: sent.push(id) }),
      writeEmails: () => {
        inside.resolve();
        return goOn.promise;
      },
      onError: (error) => {
        throw error;
      },
    });
    const polling = sender.poll();
    await inside.promise;
    let isStopped = false;
    const stopped = sender.stop().then(() => {
      isStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    goOn.resolve();
    await Promise.all([polling, stopped]);
    expect(sent).toEqual([]);
  });

  test('a sender stops although an endpoint hangs', async () => {
    const { store, make, record } = await begin();
    await make('acc_ann');
    await record('key.created', 'acc_ann');
    const { sender, sent } = senderOn(store, new Promise<Result>(() => {}));
    await sender.poll();
    await expect.poll(() => sent.length, { message: 'the sender waits for the endpoint' }).toBe(1);
    const stopped = sender.stop();
    clock.advance(5000);
    await stopped;
  });

  test('a delivery does not wait longer because the clock was set back', async () => {
    const { store, db, make, record } = await begin();
    await make('acc_ann');
    await record('key.created', 'acc_ann');
    const { sent, poll } = senderOn(store, { fault: 'timeout' }, { status: 200 });
    await poll();
    const farAway = Date.now() * 2;
    await db.updateTable('deliveries').set({ next_at: farAway }).execute();
    await db.updateTable('delivery_endpoints').set({ cooldown_until: farAway, claimed_until: farAway }).execute();
    await poll();
    expect(sent).toHaveLength(2);
  });

  test('a user can redeliver and send a test, and the configuration file can define endpoints', async () => {
    const { store, db, make, record, log } = await begin();
    const { endpoint } = await make();
    const fileEndpoint = { name: 'filed', url, secret: 's'.repeat(24), events: ['upstream.down' as const] };
    await applyFileEndpoints(db, [fileEndpoint], clock);
    await applyFileEndpoints(db, [fileEndpoint], clock);
    await record('upstream.down');
    const { sent, poll } = senderOn(store);
    await poll();
    expect(sent.map(({ endpoint: id }) => id).toSorted()).toEqual([endpoint.id, 'whk_file_filed'].toSorted());
    const [delivery] = (await log()).filter(({ endpointId }) => endpointId === endpoint.id);
    await redeliver(db, delivery?.id ?? '');
    await sendTest({ db, clock }, endpoint);
    await poll();
    expect(sent).toHaveLength(4);
    expect((await log()).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    await applyFileEndpoints(db, [], clock);
    expect(await webhookEndpointsOf(db, undefined)).toMatchObject([{ id: endpoint.id }]);
    await removeWebhookEndpoint(db, endpoint.id);
    expect(await db.selectFrom('deliveries').select('id').execute()).toEqual([]);
  });

  test('retention deletes old events and their log, except events that were not fanned out yet', async () => {
    const { store, db, make, record, log } = await begin();
    await make('acc_ann');
    await record('key.created', 'acc_ann');
    await senderOn(store).poll();
    const pending = await record('key.created', 'acc_ann');
    const retention = outboxRetention({ store, keepMs: () => -1, onError: expect.fail });
    retention.start();
    await expect.poll(() => log('acc_ann'), { message: 'the log is deleted' }).toEqual([]);
    const events = () => db.selectFrom('events').select('id').execute();
    await expect.poll(events, { message: 'the event that was fanned out is deleted' }).toEqual([{ id: pending.id }]);
    retention.stop();
  });

  test('a secret is stored sealed, and still signs after a rotation until its deadline', async () => {
    const { db, make } = await begin();
    const { endpoint, secret } = await make('acc_ann');
    const row = () => db.selectFrom('delivery_endpoints').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(await row())).not.toContain(secret);
    const rotated = await rotateSecret({ db, vault }, endpoint.id, clock.now() + 1000);
    expect(secretsOf(await row(), vault, clock.now())).toEqual([rotated.secret, secret]);
    expect(secretsOf(await row(), vault, clock.now() + 1000)).toEqual([rotated.secret]);
    const moved = { ...(await row()), id: 'whk_other' };
    expect(secretsOf(moved, vault, clock.now())).toEqual([]);
  });
});

test('retry delays grow to a maximum, with jitter', () => {
  expect([1, 2, 3, 20].map((attempts) => retryDelayMs(attempts, 0.5))).toEqual([10_000, 30_000, 90_000, 28_800_000]);
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).toEqual([8000, 12_000]);
  expect([1, 2, 20].map(cooldownMs)).toEqual([5000, 10_000, 300_000]);
});
