import { addMember } from '../../../src/money/accounts/members.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { beforeEach, expect, test } from 'vitest';
import { settleCharges } from '../../../src/money/billing/settle.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { forEachStore } from '../../stores/stores.ts';

forEachStore(({ place }) => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await startAdminGateway(place());
    return () => gateway.stop();
  });

  const names = async (query: string) =>
    (await gateway.owner('GET', `/admin/v1/accounts?${query}`)).data.map(({ name }: { name: string }) => name);

  async function pages(query: string): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { data, next } = await gateway.owner('GET', `/admin/v1/accounts?${query}&limit=1${cursor}`);
      found.push(...data.map(({ name }: { name: string }) => name));
      if (next === null) return found;
      cursor = `&cursor=${next}`;
    }
  }

  test('accounts are searched by a part of their name, special characters included', async () => {
    for (const name of ['Acme-East', 'acme-west', 'a_b']) await gateway.owner('POST', '/admin/v1/accounts', { name });
    expect(await names('q=ACME')).toEqual(['Acme-East', 'acme-west']);
    expect(await names('q=st')).toEqual(['Acme-East', 'acme-west']);
    expect(await names('q=_')).toEqual(['a_b']);
    expect(await names('q=%25')).toEqual([]);
    expect(await names('q=%5C')).toEqual([]);
    expect(await names('q=acme&sort=balance')).toEqual(['Acme-East', 'acme-west']);
  });

  test('accounts are sorted by balance and by last use, page by page', async () => {
    const { ann, bob } = gateway;
    await gateway.credit(bob.account.id, 2n ** 55n);
    const use = (id: string, at: number) =>
      gateway.store.db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
    await use(ann.keyId, 2000);
    await use(bob.keyId, 1000);
    expect(await names('sort=balance')).toEqual(['bob', 'ann', 'filed']);
    expect(await names('sort=last_used')).toEqual(['ann', 'bob', 'filed']);
    expect(await pages('sort=balance')).toEqual(['bob', 'ann', 'filed']);
    expect(await pages('sort=last_used')).toEqual(['ann', 'bob', 'filed']);
    expect(await pages('sort=name')).toEqual(['ann', 'bob', 'filed']);
    const { next } = await gateway.owner('GET', '/admin/v1/accounts?limit=1');
    const mixed = await gateway.send('GET', `/admin/v1/accounts?sort=balance&cursor=${next}`, {
      token: gateway.tokens.owner,
    });
    expectRefused(mixed, '`cursor` belongs to a list in another order.');
  });

  test('accounts are sorted by the spend of the last 30 days, page by page', async () => {
    const { ann, bob } = gateway;
    const day = 86_400_000;
    gateway.clock.at = 100 * day;
    const terms = { processId: 'p', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
    const charge = ({ account, keyId }: typeof ann, requestId: string, cost: bigint, daysAgo: number) =>
      gateway.store.commit(settleCharges, [
        { ...terms, accountId: account.id, keyId, requestId, cost, at: (100 - daysAgo) * day },
      ]);
    for (const { account } of [ann, bob]) await gateway.credit(account.id, 9000n);
    await charge(ann, 'r1', 300n, 1);
    await charge(ann, 'r2', 200n, 29);
    // The largest charge is older than 30 days.
    await charge(bob, 'r3', 900n, 31);
    await charge(bob, 'r4', 400n, 2);
    expect(await pages('sort=spend')).toEqual(['ann', 'bob', 'filed']);
    expect(await pages('sort=lowest_spend')).toEqual(['filed', 'bob', 'ann']);
    expect(await names('sort=spend&q=b')).toEqual(['bob']);
    const { data } = await gateway.owner('GET', '/admin/v1/accounts?sort=spend');
    expect(data.map((account: { recent_spend: string }) => account.recent_spend)).toEqual([
      '0.0000005',
      '0.0000004',
      '0.00',
    ]);
  });

  test('operators and the owner see the balance of an account and the spending of a key', async () => {
    const { ann } = gateway;
    gateway.clock.at += 1000;
    const { id: other } = await gateway.owner('POST', '/admin/v1/keys', { account: ann.account.id, name: 'other' });
    await gateway.credit(ann.account.id, 995n);
    await gateway.store.db.updateTable('api_keys').set({ last_used_at: 1000 }).where('id', '=', ann.keyId).execute();
    const charge = { processId: 'p', held: 0n, priceVersion: 'p_1', by: 'gateway', reason: 'request' } as const;
    const settlement = { ...charge, accountId: ann.account.id, keyId: ann.keyId, cost: 300n, at: 1 };
    await gateway.store.commit(settleCharges, [{ ...settlement, requestId: 'r1' }]);
    await gateway.store.commit(settleCharges, [{ ...settlement, requestId: 'r2', at: 9_000_000 }]);
    const shown = { balance: '0.0000004', keys: 2, last_used_at: '1970-01-01T00:00:01.000Z' };
    expect(await gateway.owner('GET', `/admin/v1/accounts/${ann.account.id}`)).toMatchObject(shown);
    expect((await gateway.send('GET', '/account/v1/account', { token: ann.token })).json).toMatchObject(shown);
    const keys = (await gateway.send('GET', '/account/v1/keys', { token: ann.token })).json.data;
    expect(keys).toMatchObject([
      { id: ann.keyId, spent: '0.0000006', last_used_at: '1970-01-01T00:00:01.000Z', spend_cap: null },
      { id: other, spent: '0.00' },
    ]);
    expect(await gateway.owner('GET', `/admin/v1/keys/${ann.keyId}`)).toMatchObject({ spent: '0.0000006' });
    expect(await gateway.owner('POST', `/admin/v1/keys/${other}/revoke`)).toMatchObject({ spent: '0.00' });
    expect(await gateway.owner('GET', `/admin/v1/accounts/${ann.account.id}`)).toMatchObject({ keys: 1 });
  });

  test('requests are filtered by status class and by failure', async () => {
    const { ann } = gateway;
    const base = { accountId: ann.account.id, keyId: ann.keyId };
    await gateway.record({ ...base, id: 'refused', status: 403, errorCase: 'access-denied' });
    await gateway.record({ ...base, id: 'failed', status: 502, errorCase: 'upstream-failed' });
    await gateway.record({ ...base, id: 'broken', status: 200, errorCase: 'upstream-failed' });
    const ids = async (query: string) =>
      (await gateway.send('GET', `/account/v1/requests?${query}`, { token: ann.token })).json.data
        .map(({ id }: { id: string }) => id)
        .toSorted();
    expect(await ids('status_class=4xx')).toEqual(['refused']);
    expect(await ids('status_class=5xx')).toEqual(['failed']);
    expect(await ids('status_class=2xx')).toEqual(['broken', ann.requestId]);
    expect(await ids('errors_only=true')).toEqual(['broken', 'failed', 'refused']);
    expect(await ids('status=502')).toEqual(['failed']);
    // The usage rows without a value, and those of the member for whom a key counts, link to exactly these requests.
    const user = { email: 'grace@example.com', name: 'Grace', passwordHash: '', isVerified: true };
    const { id: userId } = await createUser(gateway.store.db, systemClock, user);
    await addMember(gateway.store, systemClock, { accountId: ann.account.id, userId, role: 'member' });
    const own = { token: ann.token, body: { name: 'hers', member: userId } };
    const { id: keyId } = (await gateway.send('POST', '/account/v1/keys', own)).json;
    await gateway.record({ ...base, keyId, id: 'hers', status: 200, model: undefined, userId: 'stranger' });
    expect(await ids(`member=${userId}`)).toEqual(['hers']);
    expect(await ids('member=stranger')).toEqual([]);
    expect(await ids('without=model&user_id=stranger')).toEqual(['hers']);
    expect(await ids('without=user_id')).not.toContain('hers');
    expect(await ids('without=error_case')).toEqual(['hers', ann.requestId].toSorted());
    const ofAll = await gateway.send('GET', '/admin/v1/requests?member=stranger', { token: gateway.tokens.operator });
    expectRefused(ofAll, '`member` needs an `account`');
    const wrong = await gateway.send('GET', '/account/v1/requests?status_class=9xx', { token: ann.token });
    expectRefused(wrong, '`status_class` must be');
  });

  test('the owner and operators edit a key, and If-Match rejects an outdated version', async () => {
    const { ann } = gateway;
    const own = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
      gateway.send(method, `/account/v1/keys${path}`, { token: ann.token, body, headers });
    const made = await own('POST', '', {
      name: 'laptop',
      spend_cap: '5.00',
      cap_period: 'week',
      max_concurrency: 3,
      addresses: ['10.0.0.0/8', '2001:db8::/32'],
    });
    expect(made.json).toMatchObject({ cap_period: 'week', max_concurrency: 3, cap_spent: '0.00', spent: '0.00' });
    const { id, version } = made.json;
    const edits = {
      name: '笔记本',
      models: ['m-*'],
      spend_cap: '7',
      cap_period: 'month',
      expires_at: '2099-01-01T00:00:00Z',
    };
    const edited = await own('PATCH', `/${id}`, edits, { 'if-match': `"${version}"` });
    expect(edited.json).toMatchObject({ name: '笔记本', models: ['m-*'], spend_cap: '7.00', cap_period: 'month' });
    expect(edited.json.addresses).toEqual(['10.0.0.0/8', '2001:db8::/32']);
    const late = await gateway.send('PATCH', `/admin/v1/keys/${id}`, {
      token: gateway.tokens.owner,
      body: { max_concurrency: 9 },
      headers: { 'if-match': `"${version}"` },
    });
    expect(late.status).toBe(409);
    const freed = await gateway.owner('PATCH', `/admin/v1/keys/${id}`, {
      models: null,
      spend_cap: null,
      max_concurrency: null,
      addresses: null,
      expires_at: null,
    });
    const limits = { models: null, spend_cap: null, cap_period: null, max_concurrency: null, addresses: null };
    expect(freed).toMatchObject({ ...limits, expires_at: null, cap_spent: null, cap_renews_at: null });
    expectRefused(await own('PATCH', `/${id}`, { cap_period: 'day' }), '`cap_period`');
    expectRefused(await own('POST', '', { name: 'x', cap_period: 'day' }), '`cap_period`');
    expectRefused(await own('PATCH', `/${id}`, { addresses: ['10.0.0.0/33'] }), '`addresses[0]`');
    expectRefused(await own('PATCH', `/${id}`, { max_concurrency: 0 }), '`max_concurrency`');
  });

  test('a playground key is valid for an hour, and only the list with `temporary=true` contains it', async () => {
    const { ann } = gateway;
    const made = (await gateway.send('POST', '/account/v1/playground-keys', { token: ann.token })).json;
    expect(made).toMatchObject({ name: 'playground', state: 'active', secret: expect.stringMatching(/^gwk_live_/) });
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(3_600_000);
    const listed = async (query: string) => {
      const { data } = (await gateway.send('GET', `/account/v1/keys?limit=200&${query}`, { token: ann.token })).json;
      return data.map(({ id }: { id: string }) => id);
    };
    expect(await listed('order=newest')).not.toContain(made.id);
    expect(await listed('q=playground')).not.toContain(made.id);
    expect(await listed('temporary=true')).toContain(made.id);
  });

  test('a cap resets in the time zone of its account, and a rotated key keeps the spending of the old one', async () => {
    const { ann } = gateway;
    gateway.clock.at = Date.parse('2026-03-29T12:00:00Z');
    const terms = { name: 'daily', spend_cap: '5', cap_period: 'day' };
    const { id } = (await gateway.send('POST', '/account/v1/keys', { token: ann.token, body: terms })).json;
    const shown = async (key = id) => gateway.owner('GET', `/admin/v1/keys/${key}`);
    expect(await shown()).toMatchObject({ cap_renews_at: '2026-03-30T00:00:00.000Z' });
    const zone = { time_zone: 'Asia/Kolkata' };
    const account = await gateway.send('PATCH', '/account/v1/account', { token: ann.token, body: zone });
    expect(account.json).toMatchObject(zone);
    expect(await shown()).toMatchObject({ cap_renews_at: '2026-03-30T00:00:00.000Z' });
    gateway.clock.at = Date.parse('2026-04-01T12:00:00Z');
    expect(await shown()).toMatchObject({ cap_renews_at: '2026-04-01T18:30:00.000Z' });
    expectRefused(
      await gateway.send('PATCH', '/account/v1/account', { token: ann.token, body: { time_zone: 'Nowhere' } }),
      '`time_zone`',
    );
    await gateway.credit(ann.account.id, 2000n);
    const charge = { accountId: ann.account.id, keyId: id, processId: 'p', held: 1000n, priceVersion: 'p_1' };
    const origin = { by: 'gateway', reason: 'request' } as const;
    const charges = ['2026-03-31T18:29:59Z', '2026-03-31T18:30:00Z', '2026-04-01T10:00:00Z', '2026-04-01T18:29:59Z'];
    const settlements = charges.map((at, index) => ({
      ...charge,
      ...origin,
      requestId: at,
      cost: 10n ** BigInt(index),
      at: Date.parse(at),
    }));
    await gateway.store.commit(settleCharges, settlements);
    expect(await shown()).toMatchObject({ spent: '0.000001111', cap_spent: '0.00000111' });
    const rotate = { token: ann.token, body: { grace: 'now' } };
    const { id: successor } = (await gateway.send('POST', `/account/v1/keys/${id}/rotate`, rotate)).json;
    expect(await shown(successor)).toMatchObject({ spent: '0.00', cap_spent: '0.00000111', cap_period: 'day' });
  });

  test('the owner of a suspended account cannot create keys, and the error says why', async () => {
    const { ann } = gateway;
    await gateway.owner('POST', `/admin/v1/accounts/${ann.account.id}/suspend`);
    const send = (path: string, body: object) =>
      gateway.send('POST', `/account/v1/keys${path}`, { token: ann.token, body });
    for (const reply of [await send('', { name: 'more' }), await send(`/${ann.keyId}/rotate`, { grace: 'now' })]) {
      expect([reply.status, reply.json.error.code]).toEqual([403, 'account_suspended']);
    }
  });
});
