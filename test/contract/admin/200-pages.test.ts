import type { TokenRole } from '../../../src/manage/admin/api/caller.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser } from '../../../src/money/accounts/users.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { bookPaymentEvent, newPayment } from '../../../src/money/payments/payments.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { type AdminGateway, expectRefused, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
let batchId: string;
beforeAll(async () => {
  gateway = await startAdminGateway();
  const { ann, bob } = gateway;
  for (const number of [1, 2, 3]) {
    const batch = { count: 3, amount: '1', note: `n${number}` };
    batchId = (await gateway.owner('POST', '/admin/v1/code-batches', batch)).id;
    const email = `guest-${number}@example.com`;
    await createUser(gateway.store.db, systemClock, { email, name: 'Guest', passwordHash: '', isVerified: true });
    await gateway.owner('POST', `/admin/v1/accounts/${ann.account.id}/invitations`, { email, role: 'viewer' });
    const origin = { accountId: ann.account.id, keyId: ann.keyId, host: '', address: '', headers: {} };
    const terms = { endpoint: '/v1/messages', inputFileId: 'f', metadata: undefined, outputSeconds: undefined };
    await gateway.batches.create({ kind: 'batch', ...origin, ...terms });
    await gateway.record({ id: `r${number}`, accountId: ann.account.id, keyId: ann.keyId });
    await gateway.owner('POST', '/admin/v1/keys', { account: bob.account.id, name: `k${number}` });
    await gateway.owner('POST', `/admin/v1/accounts/${ann.account.id}/credits`, {
      kind: 'top_up',
      amount: '1',
      reference: `pages ${number}`,
      reason: 'test',
    });
  }
  for (const name of ['one', 'two', 'three']) await gateway.owner('POST', '/admin/v1/organisations', { name });
  for (const id of ['pay_1', 'pay_2', 'pay_3']) {
    const order = {
      id,
      accountId: ann.account.id,
      amount: 1_000_000_000n,
      currency: 'USD',
      by: 'ann',
      provider: 'stripe',
    };
    await newPayment({ store: gateway.store, clock: systemClock }, order);
    const event = { kind: 'paid', paymentId: id, minorUnits: 100, currency: 'USD', intent: `intent ${id}` } as const;
    await bookPaymentEvent(gateway.store, systemClock, event);
  }
  const hook = { name: 'hook', url: 'https://hooks.example.com' };
  for (const [side, token] of [
    ['account', ann.token],
    ['admin', gateway.tokens.owner],
  ] as const) {
    const { json } = await gateway.send('POST', `/${side}/v1/webhooks`, { token, body: hook });
    for (let sent = 0; sent < 3; sent += 1)
      await gateway.send('POST', `/${side}/v1/webhooks/${json.id}/test`, { token });
  }
});
afterAll(() => gateway.stop());

const lists = endpoints.filter(({ reply, access }) => reply.name.endsWith('Page') && access !== 'organisation');

test.each(lists.map((list) => [list.path, list] as const))(
  '%s returns the same rows page by page',
  async (path, { access }) => {
    const token = gateway.tokens[access as TokenRole];
    const ids = { 'code-batches': batchId, statements: '2026-03' };
    const id = Object.entries(ids).find(([part]) => path.includes(part))?.[1] ?? gateway.ann.account.id;
    const get = async (query: string) =>
      (await gateway.send('GET', `${path.replace(':id', id)}?${query}`, { token })).json;
    const whole = await get('limit=200');
    expect(whole.next).toBeNull();
    const collected: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { data, next } = await get(`limit=2${cursor && `&cursor=${cursor}`}`);
      expect(data.length).toBeLessThanOrEqual(2);
      collected.push(...data);
      if (next === null) break;
      cursor = next;
    }
    expect(collected).toEqual(whole.data);
    expect(whole.data.length).toBeGreaterThan(0);
  },
);

test.each([
  ['limit=0', '`limit` must be at least 1'],
  ['limit=201', '`limit` must be at most 200'],
  ['limit=many', '`limit` must be a whole number'],
  ['limit=1.5', '`limit` must be'],
  ['cursor=bm9wZQ', '`cursor` is not the `next` of an earlier page'],
  ['cursor=%01', '`cursor` is not the `next` of an earlier page'],
  ['since=yesterday', '`since` must be a time such as'],
  ['status=abc', '`status` must be'],
  ['colour=red', '`colour` is not a known field'],
  ['limit=1&limit=2', '`limit` is given twice'],
  ['__proto__=1', '`__proto__` is not a known field'],
  [`account=${'x'.repeat(65)}`, '`account` must have at most 64'],
])('the query %s is rejected, and the error names the parameter', async (query, words) => {
  const reply = await gateway.send('GET', `/admin/v1/requests?${query}`, { token: gateway.tokens['read-only'] });
  expectRefused(reply, words);
});

test('keys are listed with the newest first on request, and found by a part of their name', async () => {
  const token = gateway.tokens['read-only'];
  const names = async (query: string): Promise<{ names: string[]; next: string | null }> => {
    const { json } = await gateway.send('GET', `/admin/v1/keys?account=${gateway.bob.account.id}&${query}`, { token });
    return { names: json.data.map(({ name }: { name: string }) => name), next: json.next };
  };
  const oldest = (await names('limit=200')).names;
  const first = await names('order=newest&limit=2');
  const rest = await names(`order=newest&cursor=${first.next}`);
  expect([...first.names, ...rest.names]).toEqual(oldest.toReversed());
  expect((await names('q=K2')).names).toEqual(['k2']);
  expect((await names('q=%25')).names).toEqual([]);
});

test('a message stays short however long a name is', async () => {
  const reply = await gateway.send('GET', `/admin/v1/requests?${'x'.repeat(5000)}=1`, {
    token: gateway.tokens['read-only'],
  });
  expectRefused(reply, 'x');
  expect(reply.text.length).toBeLessThan(1000);
});
