import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { addOrganisationMember } from '../../../src/money/accounts/organisation-members.ts';
import { organisations } from '../../../src/money/accounts/organisations.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { endpoints } from '../../../src/manage/admin/endpoints.ts';
import type { Endpoint } from '../../../src/manage/admin/api/endpoint.ts';
import { newPerson, newAccount, type ConsolePerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';

/** An owner of everything: each value is read by the endpoint, and not refused for the role before. */
let gateway: TestGateway;
let owner: ConsolePerson;
let database: string;
beforeAll(async () => {
  database = await newDatabase();
  gateway = await startTestGateway((base) => ({ ...base, database, secret: '7'.repeat(64) }));
  owner = await newPerson(gateway, {
    operator: 'owner',
    accounts: { [await newAccount(gateway, 'team')]: 'owner' },
  });
  const { store } = gateway.gateway;
  const { id } = await organisations(store, systemClock).create({ name: 'group' });
  await addOrganisationMember(store, systemClock, { id, userId: owner.id, role: 'owner' });
});
afterAll(async () => {
  await gateway.stop();
  await dropDatabase(database);
});

const long = 'x'.repeat(5000);

test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s answers long values and NUL characters without an error of its own',
  async (_route, endpoint) => {
    const { method, path } = endpoint;
    for (const value of [long, '界'.repeat(1600)]) {
      for (const target of targetsOf(endpoint, encodeURIComponent(value))) {
        const { status } = await owner.send(method, target, method === 'GET' ? undefined : {});
        expect([target.slice(0, 60), status < 500]).toEqual([target.slice(0, 60), true]);
      }
      for (const body of bodiesOf(endpoint, value)) {
        const { status } = await owner.send(method, path.replace(':id', 'x'), body);
        expect([Object.keys(body), status < 500]).toEqual([Object.keys(body), true]);
      }
    }
    for (const target of targetsOf(endpoint, '%00')) {
      expect([target, (await owner.send(method, target)).status]).toEqual([target, 400]);
    }
    for (const body of bodiesOf(endpoint, 'a\0b')) {
      const { status } = await owner.send(method, path.replace(':id', 'x'), body);
      expect([Object.keys(body), status]).toEqual([Object.keys(body), 400]);
    }
  },
);

/** The address of the endpoint with this value as its id, and as each of its query parameters. */
function targetsOf({ path, query }: Endpoint, value: string): string[] {
  const names = Object.keys(query.shape).map((name) => `${path.replace(':id', 'x')}?${name}=${value}`);
  return path.includes(':id') ? [path.replace(':id', value), ...names] : names;
}

/** A body with this value in each field, alone and in a list. */
function bodiesOf({ body }: Endpoint, value: string): object[] {
  if (!(body?.schema instanceof z.ZodObject)) return [];
  return Object.keys(body.schema.shape).flatMap((name) => [{ [name]: value }, { [name]: [value] }]);
}
