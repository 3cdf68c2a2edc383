import { afterAll, beforeAll, expect, test } from 'vitest';
import { addOrganisationMember } from '../../../src/money/accounts/organisation-members.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import { type OperatorRole, operatorRoles } from '../../../src/money/accounts/operators.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { expectEnvelope } from '../../expectations.ts';
import { json } from '../../fakes/fake-replies.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let accountOwner: ConsolePerson;
let byRole: Readonly<Record<OperatorRole, ConsolePerson>>;
/** Owners of an account or an organisation who are no operators. */
let outsiders: readonly ConsolePerson[];
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({ ...base, webhooks: { allow: ['127.0.0.1'] } }));
  gateway.provider.respond('POST /hook', json(200, {}));
  const accountId = await newAccount(gateway, 'team');
  accountOwner = await newPerson(gateway, { accounts: { [accountId]: 'owner' } });
  const [owner, operator, reader] = [await person('owner'), await person('operator'), await person('read-only')];
  byRole = { owner, operator, 'read-only': reader };
  const ofGroup = await newPerson(gateway, {});
  const { id } = await organisations(gateway.gateway.store, systemClock).create({ name: 'group' });
  await addOrganisationMember(gateway.gateway.store, systemClock, {
    id,
    userId: ofGroup.id,
    role: 'owner',
  });
  outsiders = [accountOwner, ofGroup];
});
afterAll(() => gateway.stop());

/** The lowest role that may act on any id of the kind, by the first part of the path. Written independently of the code. */
const rules: Readonly<Record<string, { readonly reads?: OperatorRole; readonly writes?: OperatorRole }>> = {
  accounts: { reads: 'read-only', writes: 'operator' },
  batches: { reads: 'read-only', writes: 'operator' },
  'code-batches': { reads: 'read-only', writes: 'operator' },
  deliveries: { writes: 'operator' },
  documents: { reads: 'read-only' },
  keys: { reads: 'read-only', writes: 'operator' },
  links: { writes: 'operator' },
  models: { reads: 'read-only', writes: 'operator' },
  operators: { reads: 'owner', writes: 'owner' },
  organisations: { reads: 'read-only', writes: 'operator' },
  packages: { reads: 'read-only', writes: 'operator' },
  people: { reads: 'read-only', writes: 'operator' },
  requests: { reads: 'read-only', writes: 'operator' },
  sites: { reads: 'read-only', writes: 'operator' },
  tokens: { writes: 'owner' },
  upstreams: { reads: 'read-only', writes: 'operator' },
  webhooks: { reads: 'read-only', writes: 'operator' },
};

const withId = endpoints.filter(({ path }) => path.startsWith('/admin/v1/') && path.includes(':id'));

function kindOf(path: string): string {
  return path.split('/')[3] ?? '';
}

test('each operator endpoint with an id has a rule, and each rule an endpoint', () => {
  const used = withId.map(({ method, path }) => `${kindOf(path)} ${method === 'GET' ? 'reads' : 'writes'}`);
  const named = Object.entries(rules).flatMap(([kind, rule]) => Object.keys(rule).map((way) => `${kind} ${way}`));
  expect([...new Set(used)].toSorted()).toEqual(named.toSorted());
});

test.each(withId.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s: only operators whose role allows it act on an id',
  async (_route, { method, path }) => {
    const rule = rules[kindOf(path)];
    const lowest = (method === 'GET' ? rule?.reads : rule?.writes) ?? 'owner';
    const target = path.replace(':id', 'x');
    const send = (browser: ConsolePerson) => browser.send(method, target, method === 'GET' ? undefined : {});
    const tooLow = operatorRoles.slice(0, operatorRoles.indexOf(lowest)).map((role) => byRole[role]);
    for (const browser of [...outsiders, ...tooLow]) {
      expectEnvelope(await send(browser), { status: 403, code: 'forbidden', type: 'gateway_error' });
    }
    expect([400, 404]).toContain((await send(byRole[lowest])).status);
  },
);

test('only an owner adds a site or a domain of it, because links in e-mails lead there', async () => {
  const { owner, operator } = byRole;
  const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };
  const site = { name: 'brand', domains: ['brand.example'], models: ['*'] };
  expectEnvelope(await operator.send('POST', '/admin/v1/sites', site), forbidden);
  await owner.post('/admin/v1/sites', site);
  const replace = (fields: object) => operator.send('PUT', '/admin/v1/sites/brand', { ...site, ...fields });
  expectEnvelope(await replace({ domains: ['brand.example', 'evil.example'] }), forbidden);
  expect((await replace({ title: 'Brand' })).status).toBe(200);
  expect((await owner.get('/admin/v1/sites/brand')).spec).toMatchObject({ domains: ['brand.example'], title: 'Brand' });
});

test('an operator gains no rights of an owner through the id of an owner', async () => {
  const { owner, operator } = byRole;
  const people = `/admin/v1/people/${owner.id}`;
  const forbidden = { status: 403, code: 'forbidden', type: 'gateway_error' };
  expectEnvelope(await operator.send('POST', `${people}/reset`, { resets: 'both' }), forbidden);
  expectEnvelope(await operator.send('PATCH', people, { name: 'Mallory' }), forbidden);
  const { id } = await owner.post('/admin/v1/operators/invitations', { email: 'new@example.com', role: 'owner' });
  expect((await operator.send('DELETE', `/admin/v1/links/${id}`)).status).toBe(404);
  expect((await operator.get('/admin/v1/links')).data).toEqual([]);
});

test('the endpoints of operators find no webhook endpoint or delivery of an account', async () => {
  const { owner } = byRole;
  const hook = { name: 'hook', url: `${gateway.provider.url}/hook` };
  const { id } = await accountOwner.post('/account/v1/webhooks', hook);
  const { id: delivery } = await accountOwner.post(`/account/v1/webhooks/${id}/test`);
  for (const [method, path, body] of [
    ['GET', `webhooks/${id}`],
    ['PATCH', `webhooks/${id}`, { name: 'taken' }],
    ['POST', `webhooks/${id}/rotate`, { overlap: 'now' }],
    ['POST', `webhooks/${id}/test`],
    ['POST', `deliveries/${delivery}/redeliver`],
    ['DELETE', `webhooks/${id}`],
  ] as const) {
    expect([path, (await owner.send(method, `/admin/v1/${path}`, body)).status]).toEqual([path, 404]);
  }
  expect(await accountOwner.get(`/account/v1/webhooks/${id}`)).toMatchObject({ name: 'hook' });
});

function person(operator: OperatorRole): Promise<ConsolePerson> {
  return newPerson(gateway, { operator });
}
