import { afterAll, beforeAll, expect, test } from 'vitest';
import { addMember } from '../../../src/money/accounts/members.ts';
import { createUser } from '../../../src/money/accounts/users.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { command } from '../../gateways/command.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { makeKey } from '../../keys.ts';
import { teamStore } from './store.ts';

let gateway: TestGateway;
let place: readonly string[];
beforeAll(async () => {
  const database = await teamStore();
  gateway = await startTestGateway((base) => ({ ...base, ...database }));
  place = 'database' in database ? ['--database', database.database] : ['--data', `${gateway.directory}/data`];
});
afterAll(() => gateway.stop());

/** Runs a command next to the running gateway. */
function cli(line: string) {
  return command(...line.split(' '), ...place);
}

// biome-ignore lint: a document may have any shape; each test asserts it.
async function json(line: string): Promise<any> {
  const { status, out, err } = await cli(`${line} --json`);
  expect([status, err]).toEqual([0, '']);
  return JSON.parse(out);
}

test('commands create, change, show, list and remove an organisation with limits', async () => {
  expect((await cli('organisations list')).out).toContain('Create one: chat-gateway organisations create NAME');
  const made = await json('organisations create acme --models plain,think* --limit 0.00/month@0.5,0.8 --limit 5/total');
  expect(made).toMatchObject({
    name: 'acme',
    models: ['plain', 'think*'],
    limits: [
      { amount: '0.00', period: 'month', notify_at: ['0.5', '0.8'] },
      { amount: '5.00', period: 'total' },
    ],
    time_zone: 'UTC',
  });
  expect((await cli('organisations show acme')).out).toContain('No accounts yet.');
  const headers = { authorization: `Bearer ${await gateway.newKey()}` };
  expect((await gateway.chat({}, headers)).status).toBe(200);

  await json('accounts change tester --organisation acme --postpaid');
  await expect.poll(async () => (await gateway.chat({}, headers)).status).toBe(402);
  expect((await gateway.chat({ model: 'other' }, headers)).status).toBe(403);
  const shown = await cli('organisations show acme');
  expect(shown.out).toMatch(/limit per month +0\.00: \S+ spent, 0\.00 left, resets 20/);
  expect(shown.out).toMatch(/tester +postpaid/);
  expect((await cli('organisations list')).out).toMatch(/acme +1 +\S+ +\S+ +0\.00\/month, 5\.00\/total +org_/);

  await json('organisations change acme --limit 9/day --no-models --time-zone Asia/Kolkata --display-name Acme');
  await expect.poll(async () => (await gateway.chat({ model: 'plain' }, headers)).status).toBe(200);
  expect(await json(`organisations show ${made.id}`)).toMatchObject({
    display_name: 'Acme',
    models: null,
    limits: [{ amount: '9.00', period: 'day' }],
    time_zone: 'Asia/Kolkata',
    accounts: [{ name: 'tester', organisation: 'acme' }],
  });
  expect(await json('organisations change acme --no-limits')).toMatchObject({ limits: [] });

  expect(await cli('organisations remove acme')).toMatchObject({
    status: 1,
    err: expect.stringContaining('1 accounts'),
  });
  await json('accounts change tester --no-organisation --prepaid');
  expect((await cli('organisations remove acme')).out).toContain('The organisation acme was removed.');
  expect(await json('organisations list')).toEqual([]);
});

test('commands limit an account and a member, and show what is left', async () => {
  const account = await json('accounts create red --postpaid --limit 7/week --limit 3/day@1');
  const { store } = gateway.gateway;
  const user = { email: 'grace@example.com', name: 'Grace', passwordHash: '', isVerified: true };
  const { id: userId } = await createUser(store.db, systemClock, user);
  expect((await cli('accounts members red')).out).toBe('No members yet.\n');
  await addMember(store, systemClock, { accountId: account.id, userId, role: 'viewer' });
  const terms = '--limit 0.00/week --models plain --max-concurrency 2 --role member';
  expect(await json(`accounts member red GRACE@example.com ${terms}`)).toMatchObject({
    role: 'member',
    limits: [{ amount: '0.00', period: 'week' }],
    models: ['plain'],
    max_concurrency: 2,
  });
  expect((await cli('accounts members red')).out).toMatch(/grace@example\.com +member +0\.00\/week +plain +2 +0/);
  const { secret } = await makeKey(gateway.gateway, { account: 'red', name: 'own', memberId: userId });
  const headers = { authorization: `Bearer ${secret}` };
  expect((await gateway.chat({}, headers)).status).toBe(402);
  const free = await json('accounts member red grace@example.com --no-limits --no-models --no-max-concurrency');
  expect(free).toMatchObject({ limits: [], models: null, max_concurrency: null, role: 'member', keys: 1 });
  await expect.poll(async () => (await gateway.chat({}, headers)).status).toBe(200);
  const { out } = await cli('accounts show red');
  expect(out).toMatch(/limit per week +7\.00: \S+ spent/);
  expect(out).toMatch(/spendable +up to its limits/);
  expect(await json('accounts change red --no-limits')).toMatchObject({ limits: [] });
});

test.each([
  ['organisations create', 2, "missing required argument 'name'"],
  ['organisations create a/b', 2, 'name'],
  ['organisations create spare --limit 5', 2, '"5" is not a limit.'],
  ['organisations create spare --limit 5/year', 2, '"5/year" is not a limit.'],
  ['organisations create spare --limit 5/day --limit 6/day', 2, 'period'],
  ['organisations create spare --limit 5/day@2', 2, 'notify_at'],
  ['organisations create spare --time-zone Moon', 2, 'time_zone'],
  ['organisations change nowhere --limit 5/day', 1, 'There is no organisation "nowhere".'],
  ['organisations show nowhere', 1, '`chat-gateway organisations list` shows them.'],
  ['organisations change nowhere', 2, 'Pass at least one option, such as --limit 1000/month.'],
  ['organisations remove nowhere', 1, 'There is no organisation "nowhere".'],
  ['accounts change tester', 2, 'No changes were given.'],
  ['accounts change tester --organisation nowhere', 1, 'organisation'],
  ['accounts member tester ida@example.com --limit 5/day', 1, 'ida@example.com'],
  ['accounts member tester ida@example.com', 2, 'Pass at least one option, such as --limit 50/month.'],
  ['accounts member testr x@example.com --limit 5/day', 1, 'Did you mean `tester`?'],
])('%s ends with status %i and the next step', async (line, status, text) => {
  const done = await cli(line);
  expect(done).toMatchObject({ status, out: '' });
  if (!text.startsWith('missing')) expect(done.err).toContain(text);
  expect((await cli('organisations list')).out).not.toContain('spare');
});
