import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsolePerson, newAccount, newPerson } from '../../gateways/console-people.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let person: ConsolePerson;
const accounts: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  for (const name of ['one', 'two']) accounts.push(await newAccount(gateway, name));
  person = await newPerson(gateway, { accounts: Object.fromEntries(accounts.map((id) => [id, 'owner'])) });
});
afterAll(() => gateway.stop());

const headers = { 'idempotency-key': 'the-same' };

test('an Idempotency-Key of one account is unknown in another account of the same user', async () => {
  const make = (account: string) =>
    person.post('/account/v1/keys', { name: 'laptop' }, { ...headers, 'x-account': account });
  const made = [];
  for (const account of [...accounts, ...accounts]) made.push(await make(account));
  expect(made.map(({ account_id: id }) => id)).toEqual([...accounts, ...accounts]);
  expect(new Set(made.map(({ secret }) => secret)).size).toBe(2);
});

test('an Idempotency-Key of an endpoint is refused at another one', async () => {
  const reply = await person.send('POST', '/account/v1/playground-keys', undefined, {
    ...headers,
    'x-account': accounts[0] ?? '',
  });
  expect(reply.status).toBe(400);
  expect(reply.json.error.message).toContain('was used for another request');
});
