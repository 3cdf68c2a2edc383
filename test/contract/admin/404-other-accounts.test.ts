import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { type AdminGateway, type Member, startAdminGateway } from '../../gateways/admin-gateway.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  gateway = await startAdminGateway();
  // The first use of a token adds an audit row. It must exist before the rows are compared.
  for (const { token } of [gateway.ann, gateway.bob]) await gateway.send('GET', '/account/v1/account', { token });
});
afterAll(() => gateway.stop());

const pairs = [
  ['ann', 'bob'],
  ['bob', 'ann'],
] as const;
/** Operators' endpoints check the role only, so one direction is enough for them. */
const cases = endpoints.flatMap((endpoint) =>
  pairs
    .slice(0, endpoint.access === 'account' ? 2 : 1)
    .map(
      ([caller, other]) =>
        [`${caller} at ${other}'s`, `${endpoint.method} ${endpoint.path}`, { caller, other, endpoint }] as const,
    ),
);

test.each(cases)('%s: %s never shows or changes a row', async (_direction, _route, { caller, other, endpoint }) => {
  const [own, foreign] = [gateway[caller], gateway[other]];
  const before = await rowsOf(foreign);
  const bodies = endpoint.body ? await bodiesFor(foreign) : [undefined];
  const targets = endpoint.path.includes(':id')
    ? idsOf(foreign).map((id) => endpoint.path.replace(':id', id))
    : [endpoint.path, ...queriesFor(endpoint, idsOf(foreign)).map((query) => `${endpoint.path}?${query}`)];
  for (const [index, target] of (endpoint.access === 'account' ? targets : targets.slice(0, 1)).entries()) {
    // Every query parameter is combined with one body, in rotation, instead of with all.
    const hasQuery = target.includes('?');
    for (const body of hasQuery ? [bodies[index % bodies.length]] : bodies) {
      const reply = await gateway.send(endpoint.method, target, { token: own.token, body });
      if (endpoint.access !== 'account') expect(reply.status).toBe(403);
      const isWellFormed = endpoint.body?.schema.safeParse(body).success ?? true;
      if (endpoint.path.includes(':id')) expect(isWellFormed ? [403, 404] : [400, 403, 404]).toContain(reply.status);
      // An endpoint without query parameters and body ignores both.
      if (hasQuery && (endpoint.query ?? endpoint.body)) expect([400, 403, 404]).toContain(reply.status);
      for (const id of idsOf(foreign)) expect(reply.text).not.toContain(id);
    }
  }
  expect(await rowsOf(foreign)).toEqual(before);
});

test('a cursor of another account is only a position in time, and never leads to its rows', async () => {
  const { ann, bob } = gateway;
  const list = (token: string, query: string) => gateway.send('GET', `/account/v1/requests?${query}`, { token });
  await gateway.record({ id: 'second-of-ann', accountId: ann.account.id, keyId: ann.keyId });
  const { next } = (await list(ann.token, 'limit=1')).json;
  expect(next).toEqual(expect.any(String));
  const { data } = (await list(bob.token, `cursor=${next}`)).json;
  for (const { account_id: owner } of data) expect(owner).toBe(bob.account.id);
});

test('the lists of an account contain its own rows only', async () => {
  const { ann } = gateway;
  const get = async (path: string) => (await gateway.send('GET', path, { token: ann.token })).json;
  expect((await get('/account/v1/account')).id).toBe(ann.account.id);
  expect((await get('/account/v1/keys')).data.map((key: { account_id: string }) => key.account_id)).toContain(
    ann.account.id,
  );
  expect((await get(`/account/v1/requests/${ann.requestId}`)).id).toBe(ann.requestId);
  expect((await get('/account/v1/ledger')).data).toMatchObject([{ reference: 'ref-ann' }]);
  await gateway.record({ id: 'dear-one-of-ann', accountId: ann.account.id, keyId: ann.keyId, cost: 2n ** 60n });
  const usage = (await get('/account/v1/usage?until=2026-03-02T00:00:00Z&by=key')).data;
  expect(usage).toMatchObject([{ name: ann.keyId, cost: '1152921504.606846976' }]);
  expect(usage).toHaveLength(1);
});

/** Combines a parameter with every id if the endpoint has it or takes a body. Other names are rejected anyway. */
function queriesFor({ query, body }: (typeof endpoints)[number], ids: readonly string[]): string[] {
  return parameters.flatMap((name, index) =>
    body || name in query.shape ? ids.map((id) => `${name}=${id}`) : [`${name}=${ids[index % ids.length]}`],
  );
}

const parameters = ['key', 'account', 'id', 'account_id', 'accountId', 'user_id[]', 'cursor'];

/** Every identifier of a member. */
function idsOf({ account, keyId, requestId }: Member): string[] {
  return [account.id, account.name, keyId, requestId, `ref-${account.name}`].filter((id) => id.length > 3);
}

async function bodiesFor({ account, keyId }: Member): Promise<unknown[]> {
  return [
    { name: 'mine', account: account.id },
    { name: 'mine', account_id: account.id },
    { id: keyId, name: 'mine' },
    { grace: 'now' },
  ];
}

async function rowsOf({ account }: Member): Promise<unknown> {
  const { store } = gateway;
  const audit = await store.db.selectFrom('audit').selectAll().execute();
  return [
    await store.db.selectFrom('accounts').selectAll().where('id', '=', account.id).execute(),
    await store.db.selectFrom('api_keys').selectAll().where('account_id', '=', account.id).execute(),
    await store.db.selectFrom('requests').selectAll().where('account_id', '=', account.id).execute(),
    // A write of the caller adds audit rows to the caller's own account only.
    audit.filter((line) => JSON.stringify(line).includes(account.id)),
  ];
}
