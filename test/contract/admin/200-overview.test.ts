import { addMember } from '../../../src/money/accounts/members.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { beforeEach, expect, test } from 'vitest';
import { dimensionTerms } from '../../../src/money/requests/rollups/rollup-dimensions.ts';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { decimalText, nanoFrom } from '../../../src/core/money.ts';
import { type AdminGateway, expectRefused, type Member, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { expectEnvelope } from '../../expectations.ts';
import { forEachStore } from '../../stores/stores.ts';

const noon = Date.parse('2026-02-10T12:00:00Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });

  const own = async ({ token }: Member, query: string) =>
    (await gateway.send('GET', `/account/v1/overview?${query}`, { token })).json;
  const all = (query: string) => gateway.owner('GET', `/admin/v1/overview?${query}`);

  /** Writes a request that is recorded at its start and charged at its end. */
  async function used(member: Member, id: string, at: { began: number; ended: number; cost: bigint }): Promise<void> {
    const { account, keyId } = member;
    await gateway.record({
      id,
      accountId: account.id,
      keyId,
      startedAt: at.began,
      cost: at.cost,
      waitMs: 100,
      firstByteMs: 300,
      cachedTokens: 4,
    });
    await gateway.store.commit(settleCharges, [
      {
        requestId: id,
        accountId: account.id,
        keyId,
        processId: 'p',
        held: 0n,
        cost: at.cost,
        priceVersion: 'p_1',
        by: 'gateway',
        reason: 'request',
        at: at.ended,
      },
    ]);
  }

  /** The sum of the charges in the ledger between two times. */
  async function charged(member: Member, since: number, until: number): Promise<string> {
    const query = `since=${new Date(since).toISOString()}&until=${new Date(until).toISOString()}`;
    const lines: { kind: string; amount: string }[] = [];
    for (let cursor = ''; ; ) {
      const path = `/account/v1/ledger?${query}&limit=3${cursor && `&cursor=${cursor}`}`;
      const { data, next } = (await gateway.send('GET', path, { token: member.token })).json;
      lines.push(...data);
      if (next === null) break;
      cursor = next;
    }
    const charges = lines.filter(({ kind }) => kind.startsWith('charge'));
    return decimalText(charges.reduce((sum, { amount }) => sum - nanoFrom(amount), 0n));
  }

  test('the spending equals the charges of the ledger, in total and at every point', async () => {
    const { ann, bob } = gateway;
    await gateway.credit(ann.account.id, nanoFrom('10'));
    await gateway.credit(bob.account.id, nanoFrom('0.000000003'));
    for (const [index, minutes] of [0, 10, 59, 60, 61, 200, 1500].entries()) {
      const began = noon + minutes * minuteMs;
      await used(ann, `a${index}`, { began, ended: began + 5 * minuteMs, cost: BigInt(index + 1) * 1_000_000n });
    }
    // The cost is above bob's balance, so the ledger charges the balance.
    await used(bob, 'b1', { began: noon, ended: noon, cost: nanoFrom('1') });
    const until = noon + 26 * hourMs;
    const query = `interval=hour&since=${new Date(noon).toISOString()}&until=${new Date(until).toISOString()}`;
    const seen = await own(ann, query);
    expect(seen.totals.spend).toBe(await charged(ann, noon, until));
    expect(seen.totals.spend).toBe('0.028');
    expect(seen.series).toHaveLength(26);
    for (const { at, spend } of seen.series) {
      expect(spend).toBe(await charged(ann, Date.parse(at), Date.parse(at) + hourMs));
    }
    const ofBob = await own(bob, query);
    expect(ofBob.totals.spend).toBe(await charged(bob, noon, until));
    expect(ofBob.totals.spend).toBe('0.000000008');
    expect((await all(query)).totals.spend).toBe('0.028000008');
    expect(await all(`${query}&account=${ann.account.id}`)).toMatchObject({
      ...seen,
      top_accounts: [{ id: ann.account.id, name: 'ann', spend: '0.028' }],
    });
    const report = await gateway.owner('POST', '/admin/v1/ledger/verify');
    expect(report).toMatchObject({ is_valid: true });
    expect(report.checks.map(({ title }: { title: string }) => title)).toContain('the hourly spend equals the charges');
  });

  test('keys whose clients get streams instead of one body are listed, the busiest first', async () => {
    const { ann, bob } = gateway;
    const at = { startedAt: noon, accountId: ann.account.id };
    const unwanted = { requestedWhole: true, unwantedStream: true };
    await gateway.record({ ...at, id: 'u1', keyId: ann.keyId, ...unwanted });
    await gateway.record({ ...at, id: 'u2', keyId: ann.keyId, ...unwanted, startedAt: noon + hourMs });
    await gateway.record({ ...at, id: 'u3', keyId: ann.keyId, requestedWhole: true, unwantedStream: false });
    await gateway.record({ ...at, id: 'u4', keyId: 'gone', ...unwanted });
    await gateway.record({ ...at, id: 'u5', keyId: 'calm', requestedWhole: false, unwantedStream: false });
    await gateway.record({ id: 'u6', accountId: bob.account.id, keyId: bob.keyId, startedAt: noon, ...unwanted });
    const query = 'interval=hour&since=2026-02-10T12:00:00Z&until=2026-02-10T14:00:00Z';
    const ofAnn = [
      { id: ann.keyId, name: 'laptop', unwanted_streams: 2, requests: 3, honour_stream_false: false },
      { id: 'gone', name: null, unwanted_streams: 1, requests: 1, honour_stream_false: false },
    ];
    expect((await own(ann, query)).keys_with_unwanted_streams).toEqual(ofAnn);
    expect((await own(ann, query)).totals).toMatchObject({ requests: 5, unwanted_streams: 3 });
    expect((await all(`${query}&account=${ann.account.id}`)).keys_with_unwanted_streams).toEqual(ofAnn);
    const everyone = (await all(query)).keys_with_unwanted_streams;
    expect(everyone).toHaveLength(3);
    expect(everyone[0]).toEqual(ofAnn[0]);
    const change = { token: ann.token, body: { honour_stream_false: true } };
    expect((await gateway.send('PATCH', `/account/v1/keys/${ann.keyId}`, change)).json).toMatchObject({
      id: ann.keyId,
      honour_stream_false: true,
    });
    expect((await gateway.send('PATCH', `/account/v1/keys/${bob.keyId}`, change)).status).toBe(404);
    expect((await own(ann, query)).keys_with_unwanted_streams).toMatchObject([
      { id: ann.keyId, honour_stream_false: true },
      { id: 'gone', honour_stream_false: false },
    ]);
    const later = 'interval=hour&since=2026-02-10T15:00:00Z&until=2026-02-10T16:00:00Z';
    expect((await own(ann, later)).keys_with_unwanted_streams).toEqual([]);
  });

  test('models beyond the limit of an hour are in the totals, and not listed as one model', async () => {
    const { ann } = gateway;
    const { valuesMax } = dimensionTerms.model;
    const of = { startedAt: noon, accountId: ann.account.id, keyId: ann.keyId };
    for (let index = 0; index < valuesMax + 10; index += 1)
      await gateway.record({ id: `m${index}`, ...of, model: `m${index}` });
    const seen = await own(ann, 'interval=hour&since=2026-02-10T12:00:00Z&until=2026-02-10T14:00:00Z');
    expect(seen).toMatchObject({ is_complete: true, totals: { requests: valuesMax + 10 } });
    expect(seen.top_models.map(({ requests }: { requests: number }) => requests)).toEqual(Array(10).fill(1));
    const by = '/account/v1/usage?since=2026-02-10T12:00:00Z&until=2026-02-10T14:00:00Z&by=model';
    const { data } = (await gateway.send('GET', by, { token: ann.token })).json;
    expect(data[0]).toMatchObject({ name: '(other)', requests: 11 });
    expect(data).toHaveLength(valuesMax);
  });

  test('totals, percentiles and top lists come from the requests, and an hour without requests is a point of zeros', async () => {
    const { ann } = gateway;
    await gateway.credit(ann.account.id, nanoFrom('10'));
    await used(ann, 'one', { began: noon, ended: noon, cost: 7n });
    await gateway.record({
      id: 'two',
      accountId: ann.account.id,
      keyId: 'gone',
      model: undefined,
      startedAt: noon + 2 * hourMs,
      status: 403,
      errorCase: 'access-denied',
      firstByteMs: undefined,
      promptTokens: undefined,
      completionTokens: undefined,
    });
    const seen = await own(ann, 'interval=hour&since=2026-02-10T12:30:00Z&until=2026-02-10T14:01:00Z');
    expect(seen).toMatchObject({
      since: '2026-02-10T12:00:00.000Z',
      until: '2026-02-10T15:00:00.000Z',
      interval: 'hour',
      currency: 'USD',
      totals: {
        requests: 2,
        errors: 1,
        prompt_tokens: 10,
        completion_tokens: 5,
        cached_tokens: 4,
        // Of the one request with each figure, within 5 %.
        queue_ms_p50: 102,
        queue_ms_p95: 102,
        first_token_ms_p50: 290,
        tokens_per_second_p50: null,
      },
      top_models: [
        { model: 'filed-model', requests: 1, spend: '0.000000007' },
        { model: '', requests: 1, errors: 1 },
      ],
      top_keys: [
        { id: ann.keyId, name: 'laptop', spend: '0.000000007', requests: 1 },
        { id: 'gone', name: null, spend: '0.00', errors: 1 },
      ],
      errors_by_case: [{ error_case: 'access-denied', status: 403, requests: 1 }],
    });
    expect(seen.series[1]).toEqual({
      at: '2026-02-10T13:00:00.000Z',
      spend: '0.00',
      requests: 0,
      errors: 0,
      prompt_tokens: 0,
      cached_tokens: 0,
      completion_tokens: 0,
      reasoning_tokens: 0,
      cache_savings: '0.00',
      queue_ms_p50: null,
      queue_ms_p95: null,
      first_token_ms_p50: null,
      first_token_ms_p95: null,
      tokens_per_second_p50: null,
      tokens_per_second_p95: null,
    });
  });

  test('totals of the time before are returned if usage reaches back to its start', async () => {
    const { ann, bob } = gateway;
    await gateway.credit(ann.account.id, nanoFrom('10'));
    await used(ann, 'before', { began: noon - 3 * hourMs, ended: noon - 3 * hourMs, cost: 5n });
    await used(ann, 'within', { began: noon, ended: noon, cost: 7n });
    const query = 'interval=hour&since=2026-02-10T12:00:00Z&until=2026-02-10T15:00:00Z';
    const usage = async (by: string, more: string) => gateway.owner('GET', `/admin/v1/usage?by=${by}&${query}${more}`);
    const figures = { requests: 1, spend: '0.000000005', queue_ms_p50: 102, first_token_ms_p95: 290 };
    for (const { totals, previous } of [
      await own(ann, query),
      await all(query),
      await usage('model', ''),
      await usage('model', `&account=${ann.account.id}`),
    ]) {
      expect(previous).toMatchObject(figures);
      expect(Object.keys(totals)).toEqual(expect.arrayContaining(Object.keys(previous)));
    }
    // The account was not used then, but the gateway was.
    expect((await own(bob, query)).previous).toMatchObject({ requests: 0, spend: '0.00', queue_ms_p50: null });
    const longer = query.replace('until=2026-02-10T15', 'until=2026-02-10T17');
    expect((await own(ann, longer)).previous).toBeNull();
    expect((await gateway.owner('GET', `/admin/v1/usage?${longer}`)).previous).toBeNull();
  });

  test('cache savings are summed by hour and account, also negative ones', async () => {
    const { ann, bob } = gateway;
    const saved = (member: Member, id: string, startedAt: number, cacheSavings: bigint) =>
      gateway.record({ id, accountId: member.account.id, keyId: member.keyId, startedAt, cacheSavings });
    await saved(ann, 's1', noon, 5_000_000n);
    await saved(ann, 's1', noon, 5_000_000n);
    await saved(ann, 's2', noon + minuteMs, 2_000_000n);
    await saved(ann, 's3', noon + hourMs, -1_000_000n);
    await saved(bob, 's4', noon, 10_000_000n);
    const query = 'interval=hour&since=2026-02-10T12:00:00Z&until=2026-02-10T15:00:00Z';
    const seen = await own(ann, query);
    expect(seen.totals.cache_savings).toBe('0.006');
    const points = seen.series.map(({ cache_savings }: { cache_savings: string }) => cache_savings);
    expect(points).toEqual(['0.007', '-0.001', '0.00']);
    expect((await all(query)).totals.cache_savings).toBe('0.016');
    expect((await all(`${query}&account=${bob.account.id}`)).totals.cache_savings).toBe('0.01');
  });

  test('days are counted from `since`, so that a viewer gets the days of its own time zone', async () => {
    const { ann } = gateway;
    await gateway.credit(ann.account.id, nanoFrom('10'));
    await used(ann, 'late', { began: noon, ended: noon + 11 * hourMs, cost: 5n });
    const { series } = await own(ann, 'since=2026-02-09T23:00:00%2B02:00&until=2026-02-11T23:00:00%2B02:00');
    expect(series.map(({ at, requests, spend }: Record<string, unknown>) => [at, requests, spend])).toEqual([
      ['2026-02-09T21:00:00.000Z', 1, '0.00'],
      ['2026-02-10T21:00:00.000Z', 0, '0.000000005'],
    ]);
  });

  test('usage is grouped by every dimension; its rows add up to the total; only operators see providers and their cost', async () => {
    const { ann, bob } = gateway;
    const mine = { accountId: ann.account.id, keyId: ann.keyId, firstByteMs: 300, waitMs: 100 };
    const failed = { status: 503, errorCase: 'overloaded', upstream: 'far', firstByteMs: undefined };
    await gateway.record({ ...mine, id: 'v1', startedAt: noon, userId: 'kim', cost: 5n, providerCost: 2n });
    await gateway.record({ ...mine, id: 'v2', startedAt: noon + hourMs, userId: 'lee', cost: 7n });
    await gateway.record({ ...mine, id: 'v3', startedAt: noon + 14 * hourMs, ...failed });
    await gateway.record({ ...mine, id: 'v4', startedAt: noon, accountId: bob.account.id, cost: 1n, providerCost: 4n });
    const span = 'since=2026-02-10T00:00:00%2B01:00&until=2026-02-11T03:00:00Z';
    const usageBy = async (by: string, more = '') =>
      (await gateway.send('GET', `/account/v1/usage/breakdown?${span}&by=${by}${more}`, { token: ann.token })).json;
    const brief = ({ lines }: { lines: Record<string, unknown>[] }) =>
      lines.map(({ kind, value, requests, spend }) => [value ?? kind, requests, spend]);
    expect(brief(await usageBy('user'))).toEqual([
      ['lee', 1, '0.000000007'],
      ['kim', 1, '0.000000005'],
      ['none', 1, '0.00'],
    ]);
    expect(brief(await usageBy('user', '&limit=1'))).toEqual([
      ['lee', 1, '0.000000007'],
      ['other', 2, '0.000000005'],
    ]);
    const kim = await usageBy('user', '&limit=1&value=kim');
    expect(brief(kim)).toEqual([
      ['kim', 1, '0.000000005'],
      ['other', 2, '0.000000007'],
    ]);
    expect(kim.lines[0].series.map(({ requests }: { requests: number }) => requests)).toEqual([0, 1, 0]);
    expect(brief(await usageBy('user', '&value=max'))).toEqual([['other', 3, '0.000000012']]);
    expect(brief(await usageBy('status'))).toEqual([
      ['200', 2, '0.000000012'],
      ['503', 1, '0.00'],
    ]);
    expect(brief(await usageBy('error', '&order=errors'))[0]).toEqual(['overloaded', 1, '0.00']);
    expect((await usageBy('key')).lines[0]).toMatchObject({ value: ann.keyId, name: 'laptop' });
    const byDay = await usageBy('model', '&zone=Europe/Berlin');
    expect(byDay).toMatchObject({
      since: '2026-02-09T23:00:00.000Z',
      is_complete: true,
      has_whole_days: true,
      points: [
        { at: '2026-02-09T23:00:00.000Z', until: '2026-02-10T23:00:00.000Z' },
        { at: '2026-02-10T23:00:00.000Z', until: '2026-02-11T03:00:00.000Z' },
      ],
      totals: { requests: 3, errors: 1, spend: '0.000000012', queue_ms_p95: 102, first_token_ms_p50: 290 },
      lines: [{ value: 'filed-model', series: [{ requests: 2 }, { requests: 1, errors: 1 }] }],
    });
    expect(byDay.series.map(({ requests }: { requests: number }) => requests)).toEqual([2, 1]);
    expect((await usageBy('model', '&zone=Asia/Kolkata')).has_whole_days).toBe(false);
    const byMonth = await usageBy('model', '&interval=month');
    expect(byMonth.points).toHaveLength(1);
    expect(byMonth.lines[0].series).toEqual([{ spend: '0.000000012', requests: 3, errors: 1 }]);
    const everyone = async (query: string) => gateway.owner('GET', `/admin/v1/usage?${span}&${query}`);
    expect((await everyone('by=account')).lines).toMatchObject([
      {
        value: ann.account.id,
        name: 'ann',
        provider_cost: '0.000000002',
        costed_spend: '0.000000005',
        margin: '0.000000003',
      },
      { value: bob.account.id, name: 'bob', provider_cost: '0.000000004', margin: '-0.000000003' },
    ]);
    const { top } = await everyone('by=account&top=model,error');
    expect(top.map(({ by }: { by: string }) => by)).toEqual(['model', 'error']);
    expect(top[0].lines).toEqual((await everyone('by=model&limit=8')).lines);
    expect(top[1].lines).toEqual((await everyone('by=error&order=errors&limit=8')).lines);
    expect((await everyone('by=account')).top).toEqual([]);
    expect((await everyone('by=upstream')).totals).toMatchObject({ requests: 4, spend: '0.000000013', margin: '0.00' });
    expect(brief(await everyone('by=upstream&account=ann&order=requests')).map(([value]) => value)).toContain('far');
    const table = await gateway.send('GET', `/account/v1/usage/breakdown.csv?${span}&by=user`, { token: ann.token });
    expect(table.text.split('\r\n').map((line) => line.split(',').slice(0, 6))).toEqual([
      ['from', 'until', 'user', 'kind', 'name', 'requests'],
      ['2026-02-10T00:00:00.000Z', '2026-02-11T00:00:00.000Z', 'kim', 'value', '', '1'],
      ['2026-02-10T00:00:00.000Z', '2026-02-11T00:00:00.000Z', 'lee', 'value', '', '1'],
      ['2026-02-11T00:00:00.000Z', '2026-02-11T03:00:00.000Z', '', 'none', '', '1'],
      [''],
    ]);
    // One point more than one read returns.
    const hours = 'since=2026-02-10T02:00:00Z&until=2026-02-11T03:00:00Z&interval=hour';
    const hourly = await gateway.send('GET', `/account/v1/usage/breakdown.csv?${hours}&by=user`, { token: ann.token });
    expect(
      hourly.text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(',')[0]),
    ).toEqual(['from', '2026-02-10T12:00:00.000Z', '2026-02-10T13:00:00.000Z', '2026-02-11T02:00:00.000Z']);
    const user = { email: 'grace@example.com', name: 'Grace', passwordHash: '', isVerified: true };
    const { id: userId } = await createUser(gateway.store.db, systemClock, user);
    await addMember(gateway.store, systemClock, { accountId: ann.account.id, userId, role: 'member' });
    const phone = { token: ann.token, body: { name: 'phone', member: userId } };
    const made = await gateway.send('POST', '/account/v1/keys', phone);
    await gateway.record({ ...mine, id: 'v5', keyId: made.json.id, startedAt: noon, cost: 100n });
    const members = (await usageBy('member')).lines;
    expect(members).toMatchObject([
      { kind: 'value', value: userId, name: 'grace@example.com', requests: 1, spend: '0.0000001' },
      { kind: 'none', requests: 3 },
    ]);
    const costs = await gateway.send('GET', `/admin/v1/usage.csv?${span}&by=account`, {
      token: gateway.tokens['read-only'],
    });
    expect(costs.text.split('\r\n')[0]).toContain('provider_cost,costed_spend,margin,currency');
    expectRefused(await gateway.send('GET', `/account/v1/usage/breakdown?by=upstream`, { token: ann.token }), '`by`');
    expectRefused(
      await gateway.send('GET', '/account/v1/usage/breakdown?zone=Mars/Base', { token: ann.token }),
      'zone',
    );
    const send = (query: string) =>
      gateway.send('GET', `/admin/v1/usage?${query}`, { token: gateway.tokens['read-only'] });
    expectRefused(await send('by=team'), '`by` must be one of');
    expectRefused(await send('by=team'), 'upstream');
    expectRefused(await send('by=account&account=ann'), 'Leave out `account`');
    expect((await send('by=user&account=stranger')).status).toBe(404);
  });

  test('operators see keys, members and end users of all accounts, told apart by account', async () => {
    const { ann, bob } = gateway;
    const span = 'since=2026-02-10T00:00:00Z&until=2026-02-11T00:00:00Z';
    for (const [index, { account, keyId }] of [ann, bob, bob].entries()) {
      const fields = { id: `k${index}`, accountId: account.id, keyId, startedAt: noon, cost: 5n };
      await gateway.record({ ...fields, userId: index === 2 ? undefined : 'kim' });
    }
    const lines = async (by: string) => (await gateway.owner('GET', `/admin/v1/usage?${span}&by=${by}`)).lines;
    const brief = (found: Record<string, unknown>[]) =>
      found
        .map(({ kind, value, name, account_name, requests }) => [kind, value, name, account_name, requests])
        .sort((one, other) => (String(one) < String(other) ? -1 : 1));
    expect(brief(await lines('user'))).toEqual([
      ['none', null, null, null, 1],
      ['value', 'kim', null, 'ann', 1],
      ['value', 'kim', null, 'bob', 1],
    ]);
    expect(brief(await lines('key'))).toEqual(
      [
        ['value', ann.keyId, 'laptop', 'ann', 1],
        ['value', bob.keyId, 'laptop', 'bob', 2],
      ].sort((one, other) => (String(one) < String(other) ? -1 : 1)),
    );
    expect((await lines('key'))[0].series).toEqual([{ spend: '0.00000001', requests: 2, errors: 0 }]);
    expect(await lines('member')).toMatchObject([{ kind: 'none', requests: 3 }]);
    expect(await lines('user&account=bob')).toMatchObject([{ account_id: null }, { account_id: null }]);
    const { text } = await gateway.send('GET', `/admin/v1/usage.csv?${span}&by=user`, {
      token: gateway.tokens['read-only'],
    });
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).toContain('user,kind,name,account_id,account,requests');
    expect(rows).toContainEqual(expect.stringContaining(`,kim,value,,${bob.account.id},bob,1,`));
  });

  test('usage by upstream counts calls, also at an upstream whose failures another one rescued', async () => {
    const { ann } = gateway;
    const call = { model: 'large', waitMs: 0, beganMs: 0, endedMs: 9 };
    const failed = { ...call, upstream: 'shaky', errorCase: 'upstream-failed', status: 500 };
    const answered = { ...call, upstream: 'filed', firstEventMs: 9 };
    const mine = { accountId: ann.account.id, keyId: ann.keyId, startedAt: noon, cost: 5n };
    await gateway.record({ ...mine, id: 'c1', attempts: [failed, failed, answered] });
    await gateway.record({ ...mine, id: 'c2', attempts: [answered] });
    const span = 'since=2026-02-10T00:00:00Z&until=2026-02-11T00:00:00Z';
    const { lines, totals } = await gateway.owner('GET', `/admin/v1/usage?${span}&by=upstream`);
    expect(lines).toMatchObject([
      { value: 'filed', requests: 2, errors: 0, calls: 2, failed_calls: 0 },
      { value: 'shaky', requests: 0, errors: 0, calls: 2, failed_calls: 2, spend: '0.00' },
    ]);
    expect(totals.requests).toBe(2);
    expect((await gateway.owner('GET', `/admin/v1/usage?${span}&by=model`)).lines).toMatchObject([{ calls: null }]);
    // Requests from before calls were counted.
    await gateway.store.db.updateTable('usage_rollup_days').set({ calls: 0, failed_calls: 0 }).execute();
    const { lines: earlier } = await gateway.owner('GET', `/admin/v1/usage?${span}&by=upstream`);
    expect(earlier[0]).toMatchObject({ value: 'filed', calls: null, failed_calls: null });
  });

  test('an account sees no data of another, and too long a period is rejected', async () => {
    const { ann, bob, tokens } = gateway;
    await gateway.credit(ann.account.id, nanoFrom('10'));
    await used(ann, 'mine', { began: noon, ended: noon, cost: 5n });
    const seen = await own(bob, 'since=2026-02-01T00:00:00Z&until=2026-02-20T00:00:00Z');
    expect(seen.totals).toMatchObject({ requests: 0, spend: '0.00' });
    expect(seen.top_keys).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain(ann.keyId);
    const refused = (query: string) => gateway.send('GET', `/account/v1/overview?${query}`, { token: bob.token });
    expectRefused(await refused('interval=hour&since=2026-01-01T00:00:00Z'), '31 days');
    expectRefused(await refused('since=2020-01-01T00:00:00Z'), '400 days');
    expectRefused(await refused('since=2026-03-02T00:00:00Z'), '`since` must be before `until`.');
    expectRefused(await refused(`account=${ann.account.id}`), '`account` is not a known field');
    const stranger = await gateway.send('GET', '/admin/v1/overview?account=acc_none', { token: tokens['read-only'] });
    expectEnvelope(stranger, { status: 404, code: 'not_found', type: 'gateway_error' });
  });
});
