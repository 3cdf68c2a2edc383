import { afterAll, beforeAll, expect, test } from 'vitest';
import { accounts } from '../../../src/money/accounts/accounts.ts';
import { addOrganisationMember, type OrganisationRole } from '../../../src/money/accounts/organisation-members.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import type { OrganisationId } from '../../../src/money/accounts/ids.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let own: OrganisationId;
let other: OrganisationId;
let owner: ConsolePerson;
let viewer: ConsolePerson;
/** The owner of another organisation. */
let foreigner: ConsolePerson;
/** People with a role elsewhere, and none in an organisation. */
let outsiders: readonly ConsolePerson[];
beforeAll(async () => {
  gateway = await startTestGateway();
  const { store } = gateway.gateway;
  [own, other] = [await newOrganisation('own'), await newOrganisation('other')];
  [owner, viewer, foreigner] = [await person(own, 'owner'), await person(own, 'viewer'), await person(other, 'owner')];
  const accountId = await newAccount(gateway, 'inside');
  await accounts(store, systemClock).change(accountId, { organisationId: own });
  outsiders = [
    await newPerson(gateway, { accounts: { [accountId]: 'owner' } }),
    await newPerson(gateway, { operator: 'read-only' }),
    await newPerson(gateway, { operator: 'owner' }),
  ];
});
afterAll(() => gateway.stop());

/** Which members may act on a thing of their organisation, and how it is made. Left out: by the month. */
interface Rule {
  readonly may: 'all' | 'owners';
  readonly thing?: () => Promise<string>;
  readonly body?: object;
}

const ofMember: Rule = { may: 'owners', thing: async () => (await person(own, 'viewer')).id };
const ofBill: Rule = { may: 'all' };

const rules: Readonly<Record<string, Rule>> = {
  'GET /account/v1/organisation/members/:id': { ...ofMember, may: 'all' },
  'PATCH /account/v1/organisation/members/:id': { ...ofMember, body: { role: 'owner' } },
  'DELETE /account/v1/organisation/members/:id': ofMember,
  'DELETE /account/v1/organisation/invitations/:id': { may: 'owners', thing: newInvitation },
  'GET /account/v1/organisation/bills/:id': ofBill,
  'GET /account/v1/organisation/bills/:id/csv': ofBill,
  'GET /account/v1/organisation/bills/:id/pdf': ofBill,
};

const all = endpoints.filter(({ access }) => access === 'organisation');
const withId = all.filter(({ path }) => path.includes(':id'));

test('each organisation endpoint with an id has a rule', () => {
  expect(withId.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(Object.keys(rules).toSorted());
});

test.each(withId.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s: only the members whose role allows it act on a thing of their organisation',
  async (route, { method, path, isWrite }) => {
    const { may, thing, body } = rules[route] as Rule;
    const id = (await thing?.()) ?? '2026-03';
    const send = (browser: ConsolePerson, headers?: Record<string, string>) =>
      browser.send(method, path.replace(':id', id), body, headers);
    const before = await rows();
    const refused = { status: 403, code: 'forbidden', type: 'gateway_error' };
    for (const outsider of outsiders) expectEnvelope(await send(outsider), refused);
    if (isWrite) expectEnvelope(await send(viewer), refused);
    // The id leads to nothing in another organisation, and no header leads to an organisation without a role in it.
    expect((await send(foreigner)).status).toBe(404);
    for (const browser of [foreigner, ...outsiders]) {
      expect((await send(browser, { 'x-organisation': own })).status).toBe(404);
    }
    expect(await rows()).toEqual(before);
    const known = thing ? 200 : 404;
    if (may === 'all') expect((await send(viewer)).status).toBe(known);
    expect((await send(owner)).status).toBe(known);
  },
);

test.each(all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s: a viewer only reads, and the header names only an own organisation',
  async (_route, { method, path, isWrite }) => {
    const target = path.replace(':id', 'x');
    const body = isWrite ? { email: 'guest@example.com', role: 'viewer' } : undefined;
    const before = await rows();
    expect(isWrite ? [403] : [200, 404]).toContain((await viewer.send(method, target, body)).status);
    const named = { 'x-organisation': other };
    for (const browser of [owner, viewer, ...outsiders]) {
      expect((await browser.send(method, target, body, named)).status).toBe(404);
    }
    expect(await rows()).toEqual(before);
  },
);

async function newOrganisation(name: string): Promise<OrganisationId> {
  return (await organisations(gateway.gateway.store, systemClock).create({ name })).id;
}

async function person(id: OrganisationId, role: OrganisationRole): Promise<ConsolePerson> {
  const made = await newPerson(gateway, {});
  await addOrganisationMember(gateway.gateway.store, systemClock, { id, userId: made.id, role });
  return made;
}

async function newInvitation(): Promise<string> {
  const body = { email: 'guest@example.com', role: 'viewer' };
  return (await owner.post('/account/v1/organisation/invitations', body)).id;
}

/** The rows that a refused call must not change. */
async function rows(): Promise<unknown> {
  const { db } = gateway.gateway.store;
  const members = await db.selectFrom('organisation_members').selectAll().execute();
  const links = await db.selectFrom('console_links').select(['id', 'used_at']).execute();
  return [members, links];
}
