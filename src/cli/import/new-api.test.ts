import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import { newApiPricing, newApiRows, newApiSchema } from 'chat-gateway-import/fixtures/new-api-database.ts';
import { fillSqlite } from 'chat-gateway-import/fixtures/source-tables.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-import-new-api-'));
  fillSqlite(join(folder, 'one-api.db'), newApiSchema, newApiRows);
  writeFileSync(join(folder, 'pricing.json'), newApiPricing);
});
afterAll(() => rmSync(folder, { recursive: true }));

const imported = (...words: readonly string[]) =>
  command('import', 'new-api', join(folder, 'one-api.db'), join(folder, 'pricing.json'), ...inStore, ...words);
const inStore = ['--data', '', '--json'];
beforeAll(() => void (inStore[1] = join(folder, 'data')));

test('an import of new-api books every balance, also a negative one, and the ledger is sound', async () => {
  const first = JSON.parse((await imported('--apply')).out);
  // (100000000 + 1234567 - 250000 + 3) × 2000 nano-units, and 999999999 of the quota that is too large.
  expect(first.sums.balances).toEqual({ source: '1000000200.96914', left_out: '0.00', booked: '1000000200.96914' });
  expect(await command('ledger', 'verify', ...inStore)).toMatchObject({ status: 0 });
  const second = JSON.parse((await imported('--apply')).out);
  const sections = ['accounts', 'keys', 'packages', 'upstreams', 'models'];
  const outcomes = sections.flatMap((section) => second[section].map((item: { outcome: string }) => item.outcome));
  expect(new Set(outcomes)).toEqual(new Set(['unchanged']));
  expect(second.sums).toEqual(first.sums);
});

test('the prices can come from the running instance itself', async () => {
  const replies: string[] = [];
  const old = createServer((request, response) => {
    replies.push(request.url ?? '');
    if (request.url === '/api/pricing') response.end(newApiPricing);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(old, 'listening');
  const { port } = old.address() as AddressInfo;
  const database = join(folder, 'one-api.db');
  const shown = await command('import', 'new-api', database, `http://127.0.0.1:${port}/api/pricing`, ...inStore);
  expect(JSON.parse(shown.out).models).toHaveLength(13);
  const missing = await command('import', 'new-api', database, `http://127.0.0.1:${port}/absent`, ...inStore);
  expect(missing).toMatchObject({ status: 1, err: expect.stringContaining('answered with status 404') });
  expect(replies).toEqual(['/api/pricing', '/absent']);
  old.close();
});

test('a rehearsal answers the keys that new-api would answer', async () => {
  const { keys } = JSON.parse((await imported('--rehearse')).out);
  const answered = keys.filter(({ failure }: { failure: string | null }) => failure === null);
  expect(answered.map(({ name }: { name: string }) => name)).toEqual([
    'plain',
    'capped',
    'limited',
    'addresses',
    'other group',
    'dear group',
    'auto',
    'later \u{1F511}',
    'key-19',
  ]);
});
