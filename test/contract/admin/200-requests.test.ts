import { beforeEach, expect, test } from 'vitest';
import { bodiesDropped } from '../../../src/work/bodies/stored-bodies.ts';
import { rememberPrices } from '../../../src/money/billing/ledger/price-book.ts';
import { chargeOf } from '../../../src/money/billing/ledger/cost.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { registerProcess, unregisterProcess } from '../../../src/money/billing/recovery/processes.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { priceOf } from '../../../src/platform/config/schema/model-price.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import type { AttemptRecord } from '../../../src/money/requests/attempt-record.ts';
import { type AdminGateway, expectRefused, type Member, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';
import { storedFor } from '../../stores/stored-for.ts';
import { forEachStore } from '../../stores/stores.ts';

const missing = { status: 404, code: 'not_found', type: 'gateway_error' };
const price = priceOf({ input: '2.50', cachedInput: '0.25', output: '10' });
const tokens = {
  promptTokens: 1000,
  cachedTokens: 400,
  cacheWrite5mTokens: undefined,
  cacheWrite1hTokens: undefined,
  completionTokens: 33,
};
const refused: AttemptRecord = {
  upstream: 'acme',
  model: 'large',
  credential: 1,
  position: 4,
  waitMs: 40,
  beganMs: 45,
  endedMs: 145,
  status: 429,
  errorCase: 'upstream-failed',
  reason: 'answered 429',
};
const answered: AttemptRecord = {
  upstream: 'beta',
  model: 'xl',
  waitMs: 0,
  beganMs: 146,
  firstEventMs: 246,
  endedMs: 500,
  status: 200,
};

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });
  const operator = (id: string) =>
    gateway.send('GET', `/admin/v1/requests/${id}`, { token: gateway.tokens['read-only'] });
  const ownerOf = ({ token }: Member, id: string) => gateway.send('GET', `/account/v1/requests/${id}`, { token });

  test('stored bodies are listed, readable only by their account, and gone when deleted or expired', async () => {
    const { ann, bob, send, tokens: roles } = gateway;
    expect((await ownerOf(ann, ann.requestId)).json.bodies).toBeNull();
    await storedFor(gateway, ann, ['one', 'two', 'three']);
    const blobs = gateway.store.db.selectFrom('sealed_blobs').select('created_at').where('id', '=', 'one');
    const { created_at: createdAt } = await blobs.executeTakeFirstOrThrow();
    const deletedAt = new Date(createdAt + 86_400_000).toISOString();
    const sizes = { state: 'stored', request_bytes: 9, answer_bytes: 16, deleted_at: deletedAt };
    expect((await ownerOf(ann, 'one')).json.bodies).toEqual({ ...sizes, readable: true });
    expect((await operator('one')).json.bodies).toEqual({ ...sizes, readable: false });
    const read = (id: string, { token }: { token: string } = ann, headers = {}) =>
      send('POST', `/account/v1/requests/${id}/bodies/read`, { token, headers });
    const bodies = {
      request: { text: 'asked one', bytes: 9, truncated: false },
      answer: { text: 'data: said one\n\n' },
    };
    const once = { 'idempotency-key': 'again' };
    expect((await read('one', ann, once)).json).toMatchObject(bodies);
    expectEnvelope(await read('one', bob), missing);
    const own = (await send('GET', '/account/v1/stored-bodies', { token: ann.token })).json;
    expect(own).toMatchObject({ allowed: true, keep_seconds: 86_400, requests: 3 });
    const all = (await send('GET', '/admin/v1/stored-bodies', { token: roles['read-only'] })).json;
    expect(all).toEqual(own);
    const drop = (path: string, token = ann.token) => send('DELETE', path, { token });
    expectEnvelope(await drop('/account/v1/requests/one/bodies', bob.token), missing);
    expect((await drop('/account/v1/requests/one/bodies')).json).toEqual({ deleted: 1, more: false });
    // A repeated Idempotency-Key does not replay deleted bodies.
    expectEnvelope(await read('one', ann, once), missing);
    const gone = { state: 'gone', request_bytes: null, answer_bytes: null, deleted_at: null, readable: false };
    expect((await ownerOf(ann, 'one')).json.bodies).toEqual(gone);
    gateway.storedBodies.terms = { ...gateway.storedBodies.terms!, secret: 'another secret of 32 characters..' };
    const closed = await read('two');
    expectEnvelope(closed, { status: 409, code: 'conflict', type: 'gateway_error' });
    expect(closed.json.error.message).toContain('another secret');
    const age = (ms: number) =>
      gateway.store.db
        .updateTable('sealed_blobs')
        .set((row) => ({ created_at: row('created_at', '-', ms) }))
        .execute();
    await age(86_400_001);
    expectEnvelope(await read('two'), missing);
    expect((await ownerOf(ann, 'two')).json.bodies).toEqual(gone);
    expect((await drop(`/admin/v1/keys/${ann.keyId}/bodies`, roles.operator)).json).toEqual({
      deleted: 2,
      more: false,
    });
    await gateway.record({ id: 'four', accountId: ann.account.id, keyId: ann.keyId, notes: [bodiesDropped] });
    expect((await ownerOf(ann, 'four')).json.bodies).toMatchObject({ state: 'dropped', readable: false });
    const { data } = await gateway.owner('GET', '/admin/v1/audit?subject_kind=request');
    expect(data).toMatchObject([
      { action: 'deleteOwnBodies', subject_id: 'one', before: { request_bytes: 9 }, after: null },
      { action: 'readOwnBodies', subject_id: 'one', after: { answer_bytes: 16 }, address: '127.0.0.1' },
    ]);
  });

  test('a key stores bodies only if the gateway allows it, and its account gets an event when it starts', async () => {
    const { ann, send, store } = gateway;
    const change = (body: object) => send('PATCH', `/account/v1/keys/${ann.keyId}`, { token: ann.token, body });
    expectRefused(await change({ store_bodies: true }), 'This gateway does not store request and response bodies.');
    const newKey = { account: ann.account.id, name: 'k', store_bodies: true };
    expectRefused(
      await send('POST', '/admin/v1/keys', { token: gateway.tokens.owner, body: newKey }),
      'does not store request and response bodies',
    );
    gateway.storedBodies.terms = { keep: 1, maxBytes: 1 };
    const before = (await send('GET', `/account/v1/keys/${ann.keyId}`, { token: ann.token })).json;
    expect(before.store_bodies).toBe(false);
    const after = (await change({ store_bodies: true })).json;
    expect(after).toMatchObject({ store_bodies: true });
    expect(after.version).not.toBe(before.version);
    await change({ store_bodies: true, name: 'again' });
    await change({ store_bodies: false });
    const made = (await gateway.owner('POST', '/admin/v1/keys', newKey)).id;
    const successor = await gateway.owner('POST', `/admin/v1/keys/${made}/rotate`, { grace: 'now' });
    expect(successor.store_bodies).toBe(true);
    const kinds = store.db.selectFrom('events').select('data').where('kind', '=', 'key.stores_bodies').orderBy('at');
    const keyIds = (await kinds.execute()).map(({ data }) => JSON.parse(data).key_id);
    expect(new Set(keyIds)).toEqual(new Set([ann.keyId, made]));
    expect(keyIds).toHaveLength(2);
  });

  test('each filter finds the matching request and no other', async () => {
    const { ann } = gateway;
    const base = { accountId: ann.account.id, keyId: ann.keyId, startedAt: Date.parse('2026-02-01T00:00:00Z') };
    await gateway.record({
      ...base,
      id: 'wanted',
      userId: 'u1',
      model: 'other-model',
      status: 502,
      errorCase: 'x',
      notes: ['odd'],
    });
    const matching = [
      'user_id=u1',
      'model=other-model',
      'status=502',
      'error_case=x',
      'until=2026-02-15T00:00:00Z',
      `account=${ann.account.id}&until=2026-02-15T00:00:00Z`,
      `key=${ann.keyId}&since=2026-02-01T00:00:00Z&until=2026-02-01T00:00:01Z`,
    ];
    for (const query of matching) {
      expect((await gateway.owner('GET', `/admin/v1/requests?${query}`)).data).toMatchObject([
        { id: 'wanted', notes: ['odd'] },
      ]);
    }
    for (const query of [
      'user_id=u2',
      'status=501',
      'error_case=y',
      'since=2026-03-01T00:00:01Z',
      `account=${gateway.bob.account.id}&status=502`,
    ]) {
      expect((await gateway.owner('GET', `/admin/v1/requests?${query}`)).data).toEqual([]);
    }
    expect(await gateway.owner('GET', '/admin/v1/requests/wanted')).toMatchObject({ upstream: 'filed', cost: null });
    expectEnvelope(await operator('unwanted'), missing);
  });

  test('requests are sorted by cost and duration, page by page, and exported as CSV without formulas', async () => {
    const { ann, bob } = gateway;
    const costs = [3n, undefined, 9n, 1n];
    for (const [index, cost] of costs.entries()) {
      await gateway.record({
        accountId: ann.account.id,
        keyId: ann.keyId,
        id: `ranked-${index}`,
        startedAt: gateway.clock.at - 10_000 + index,
        userId: 'ranked',
        requestedModel: '=HYPERLINK("http://a","小"),',
        durationMs: [40, 10, 30, 20][index],
        cost,
      });
    }
    const idsInOrder = async (query: string) => {
      const ids: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const cursor: string = next === '' ? '' : `&cursor=${next}`;
        const page = await gateway.owner('GET', `/admin/v1/requests?user_id=ranked&limit=3&${query}${cursor}`);
        ids.push(...page.data.map(({ id }: { id: string }) => id.slice(-1)));
        next = page.next;
      }
      return ids.join('');
    };
    expect(await idsInOrder('order=costliest')).toBe('2031');
    expect(await idsInOrder('order=cheapest')).toBe('1302');
    expect(await idsInOrder('order=slowest')).toBe('0231');
    expect(await idsInOrder('order=fastest')).toBe('1320');
    expect(await idsInOrder('order=oldest')).toBe('0123');
    const { next } = await gateway.owner('GET', '/admin/v1/requests?limit=1');
    const mixed = await gateway.send('GET', `/admin/v1/requests?order=slowest&cursor=${next}`, {
      token: gateway.tokens['read-only'],
    });
    expectRefused(mixed, '`cursor` belongs to a list in another order.');

    const table = async (path: string, token: string) =>
      (await gateway.send('GET', path, { token })).text.split('\r\n');
    const [head = '', ...rows] = await table('/account/v1/requests.csv?user_id=ranked', ann.token);
    expect(head).not.toContain('upstream');
    expect(rows.map((row) => row.split(',')[1])).toEqual(['ranked-3', 'ranked-2', 'ranked-1', 'ranked-0', undefined]);
    expect(rows[0]).toContain(`"'=HYPERLINK(""http://a"",""小""),"`);
    expect(await table('/account/v1/requests.csv?user_id=ranked', bob.token)).toEqual([head, '']);
    const [whole = '', ...all] = await table('/admin/v1/requests.csv', gateway.tokens['read-only']);
    expect(whole).toBe(`${head},upstream,upstream_model,attempt_count`);
    expect(all.join()).toContain(`,${ann.account.name},`);
    expect(all).toHaveLength((await gateway.owner('GET', '/admin/v1/requests?limit=200')).data.length + 1);
  });

  test('the owner of an account does not see the upstream of an answer', async () => {
    const { ann } = gateway;
    const { json } = await gateway.send('GET', `/account/v1/requests/${ann.requestId}`, { token: ann.token });
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['upstream']));
    expect(json).toMatchObject({ id: ann.requestId, model: 'filed-model', key_name: 'laptop' });
    const { json: list } = await gateway.send('GET', '/account/v1/requests?limit=200', { token: ann.token });
    expect(list.data).toContainEqual(expect.objectContaining({ id: ann.requestId, key_name: 'laptop' }));
  });

  test('an operator sees every attempt of a request, its cost calculation and its ledger rows', async () => {
    await chargedRequest(gateway, 'life-of-ann');
    const { json } = await operator('life-of-ann');
    expect(json).toMatchObject({
      state: 'recorded',
      requested_model: 'acme-latest',
      model: 'acme-2026',
      queue_position: 4,
      price_version: price.version,
      attempts: [
        { upstream: 'acme', credential: 1, position: 4, wait_ms: 40, status: 429, reason: 'answered 429' },
        { upstream: 'beta', upstream_model: 'xl', began_ms: 146, first_event_ms: 246, ended_ms: 500, status: 200 },
      ],
      cost_lines: [
        { kind: 'input', tokens: 600, per_million: '2.50', amount: '0.0015' },
        { kind: 'cached_input', tokens: 400, per_million: '0.25', amount: '0.0001' },
        { kind: 'output', tokens: 33, per_million: '10.00', amount: '0.00033' },
      ],
      cost: '0.00193',
      ledger: [{ kind: 'charge', amount: '-0.00193', by: 'gateway', price_version: price.version }],
    });
    for (const answerId of ['chatcmpl-life-of-ann', 'cmpl-life-of-ann', 'msg_life-of-ann']) {
      expect((await operator(answerId)).json).toEqual(json);
    }
  });

  test('the owner sees the same request without the providers’ names and error texts', async () => {
    await chargedRequest(gateway, 'life-of-ann');
    const { text, json } = await ownerOf(gateway.ann, 'life-of-ann');
    expect(json).toMatchObject({
      cost: '0.00193',
      attempts: [
        { provider: 'provider 1', status_class: '4xx', is_answer: false, wait_ms: 40, ended_ms: 145 },
        { provider: 'provider 2', status_class: '2xx', is_answer: true, first_event_ms: 246 },
      ],
    });
    for (const secret of ['acme"', 'beta', 'large', '"xl"', 'credential', 'answered 429', 'upstream_model']) {
      expect(text).not.toContain(secret);
    }
  });

  test('another account finds neither a recorded nor a recovered request', async () => {
    await chargedRequest(gateway, 'life-of-ann');
    await killedRequest(gateway, 'killed-of-ann');
    for (const id of ['life-of-ann', 'killed-of-ann', 'chatcmpl-killed-of-ann']) {
      expect((await ownerOf(gateway.ann, id)).status).toBe(200);
      expectEnvelope(await ownerOf(gateway.bob, id), missing);
    }
  });

  test('a request whose process was killed is shown with the charge of the recovery', async () => {
    const id = '20260301000000000abcdefghij';
    const running = await killedRequest(gateway, id, () => operator(id));
    expect(running.json).toMatchObject({ state: 'open', status: null, cost: null, ledger: [] });
    const { json } = await operator(id);
    expect(json).toMatchObject({
      state: 'recovered',
      explanation: expect.stringContaining('ended while the response was streaming'),
      started_at: '2026-03-01T00:00:00.000Z',
      account_id: gateway.ann.account.id,
      status: null,
      attempts: [],
      cost: '0.000000002',
      ledger: [{ kind: 'charge', by: 'recovery', amount: '-0.000000002', price_version: price.version }],
    });
    expect(json.ledger[0].reason).toContain('last checkpoint');
    expect((await ownerOf(gateway.ann, id)).json).toMatchObject({ state: 'recovered', cost: '0.000000002' });
  });

  test('a request with a charge and no record has the state `charged`; other ledger rows are not requests', async () => {
    await charge(gateway, 'lost-of-ann', 3n);
    expect((await operator('lost-of-ann')).json).toMatchObject({ state: 'charged', cost: '0.000000003' });
    expect((await operator('ref-ann')).status).toBe(404);
  });
});

async function chargedRequest(gateway: AdminGateway, id: string): Promise<void> {
  const cost = chargeOf([{ ...unreportedUsage, ...tokens }], price);
  await rememberPrices(gateway.store, [price]);
  await charge(gateway, id, cost);
  await gateway.record({
    id,
    accountId: gateway.ann.account.id,
    keyId: gateway.ann.keyId,
    ...tokens,
    requestedModel: 'acme-latest',
    model: 'acme-2026',
    upstream: 'beta',
    upstreamModel: 'xl',
    attemptCount: 2,
    queuePosition: 4,
    attempts: [refused, answered],
    cost,
    priceVersion: price.version,
  });
}

/** Charges a request as settlement does, after adding a credit of its cost. */
async function charge(gateway: AdminGateway, requestId: string, cost: bigint): Promise<void> {
  const { account, keyId } = gateway.ann;
  await gateway.credit(account.id, cost);
  const names = { requestId, accountId: account.id, keyId, processId: 'p', priceVersion: price.version };
  const details = { held: 0n, cost, by: 'gateway', reason: 'request', at: systemClock.now() } as const;
  await gateway.store.commit(settleCharges, [{ ...names, ...details }]);
}

/** Leaves the checkpoint of a killed process, calls `before`, and then charges the checkpoint. */
async function killedRequest<Seen>(
  gateway: AdminGateway,
  id: string,
  before: () => Promise<Seen> = async () => undefined as Seen,
): Promise<Seen> {
  const { account, keyId } = gateway.ann;
  const names = { request_id: id, account_id: account.id, key_id: keyId };
  await registerProcess(gateway.store, 'killed');
  await gateway.store.db
    .insertInto('open_charges')
    .values({ ...names, process_id: 'killed', cost: 2n, held: 2n, price_version: price.version, at: 1 })
    .execute();
  const seen = await before();
  await unregisterProcess(gateway.store, 'killed', systemClock);
  return seen;
}
