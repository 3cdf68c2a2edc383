import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import { oneApiRows, oneApiSchema } from 'chat-gateway-import/fixtures/one-api-database.ts';
import { fillSqlite } from 'chat-gateway-import/fixtures/source-tables.ts';

/** The users of the group `vip` have one channel. */
const channels = oneApiRows['channels']?.map((each) =>
  each['name'] === 'compatible' ? { ...each, group: 'default,vip' } : each,
);

let folder: string;
let inStore: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-import-one-api-'));
  inStore = ['--data', join(folder, 'data'), '--json'];
  fillSqlite(join(folder, 'one-api.db'), oneApiSchema, { ...oneApiRows, channels: channels ?? [] });
});
afterAll(() => rmSync(folder, { recursive: true }));

const imported = (...words: readonly string[]) =>
  command('import', 'one-api', join(folder, 'one-api.db'), ...inStore, ...words);

test('an import of one-api books every balance, a second one changes nothing, and the ledger is sound', async () => {
  const first = JSON.parse((await imported('--apply')).out);
  // 500,000 and 1,000,003 of the quota, of which 300,000 are one dollar, rounded down. The deleted user is left out.
  expect(first.sums.balances).toEqual({ source: '5.000009999', left_out: '0.00', booked: '5.000009999' });
  expect(await command('ledger', 'verify', ...inStore)).toMatchObject({ status: 0 });
  const second = JSON.parse((await imported('--apply')).out);
  const sections = ['accounts', 'users', 'keys', 'packages', 'upstreams', 'models'];
  const outcomes = sections.flatMap((section) => second[section].map((item: { outcome: string }) => item.outcome));
  expect(new Set(outcomes)).toEqual(new Set(['unchanged']));
  expect(second.sums).toEqual(first.sums);
});

test('a rehearsal answers the keys that one-api would answer', async () => {
  const { keys } = JSON.parse((await imported('--rehearse')).out);
  const failures = keys.map(({ name, failure }: { name: string; failure: string | null }) => [name, failure]);
  expect(Object.fromEntries(failures)).toEqual({ plain: null, limited: null, office: null });
});
