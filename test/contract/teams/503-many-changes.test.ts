import { afterAll, beforeAll, expect, test } from 'vitest';
import { changesMax } from '../../../src/money/accounts/change-quota.ts';
import { leakyCounts } from '../../../src/money/accounts/leaky-counts.ts';
import { expectEnvelope } from '../../expectations.ts';
import { type AdminGateway, type Member, startAdminGateway } from '../../gateways/admin-gateway.ts';
import { atOnceUnder } from '../../stores/at-once.ts';
import { teamStore } from './store.ts';

let gateway: AdminGateway;
beforeAll(async () => {
  const store = await teamStore();
  gateway = await startAdminGateway('database' in store ? { database: store.database } : undefined);
});
afterAll(() => gateway.stop());

const drainMs = 86_400_000 / changesMax;

/** The account has made all changes that it may make at once, but these. */
async function leave({ account }: Member, changes: number): Promise<void> {
  const clock = { now: () => gateway.clock.at } as never;
  const counts = leakyCounts({ store: gateway.store, clock, realm: 'changes of', max: changesMax, drainMs });
  await counts.clear(account.id);
  const until = gateway.clock.at + (changesMax - changes - 1) * drainMs;
  expect(await counts.add(account.id, { level: 0, until, version: undefined })).toBe(true);
}

/** All at once: each begins before another one is committed. */
const together = ({ account, token }: Member, path: string, bodies: readonly object[]) =>
  atOnceUnder(
    gateway.store,
    `changes of ${account.id}`,
    bodies.map((body) => () => gateway.send('POST', `/account/v1${path}`, { token, body, mayBreak: true })),
  );

const rows = async (table: 'api_keys' | 'delivery_endpoints' | 'console_links', { account }: Member) =>
  (await gateway.store.db.selectFrom(table).select('id').where('account_id', '=', account.id).execute()).length;

/** Adds rows like the one that the account has. */
async function copy(table: 'delivery_endpoints' | 'console_links', { account }: Member, count: number): Promise<void> {
  const { db } = gateway.store;
  const row = await db.selectFrom(table).selectAll().where('account_id', '=', account.id).executeTakeFirstOrThrow();
  const copies = Array.from({ length: count }, (_, index) => ({
    ...row,
    id: `copy-${index}`,
    ...('digest' in row && { digest: `copy-${index}` }),
  }));
  await db.insertInto(table).values(copies).execute();
}

test('an account that has made too many changes creates no more keys, and a refused one does not count', async () => {
  const { ann } = gateway;
  const before = await rows('api_keys', ann);
  await leave(ann, 3);
  const keys = Array.from({ length: 8 }, (_, index) => ({ name: `key ${index}` }));
  const replies = await together(ann, '/keys', keys);
  const refused = replies.filter(({ status }) => status !== 200);
  expect([await rows('api_keys', ann), refused.length]).toEqual([before + 3, 5]);
  for (const each of refused) expectEnvelope(each, { status: 503, code: 'overloaded', type: 'gateway_error' });
  expect(refused[0]!.json.error.message).toContain('Too many changes');
  gateway.clock.at += drainMs;
  const again = await together(ann, '/keys', keys.slice(0, 2));
  expect(again.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 503]);
});

test.each([
  [
    'webhook endpoints',
    '/webhooks',
    'delivery_endpoints',
    20,
    (index: number) => ({ name: `w${index}`, url: 'https://localhost/w' }),
  ],
  [
    'invitations',
    '/invitations',
    'console_links',
    200,
    (index: number) => ({ email: `u${index}@example.com`, role: 'member' }),
  ],
] as const)('%s that are created at once do not pass their limit together', async (_, path, table, max, body) => {
  const { bob } = gateway;
  gateway.webhooks.allow = ['127.0.0.1', 'localhost', '127.0.0.0/8'];
  expect((await gateway.send('POST', `/account/v1${path}`, { token: bob.token, body: body(0) })).status).toBe(200);
  await copy(table, bob, max - 3);
  const more = Array.from({ length: 8 }, (__, index) => body(max + index));
  const replies = await together(bob, path, more);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(await rows(table, bob)).toBe(max);
});
