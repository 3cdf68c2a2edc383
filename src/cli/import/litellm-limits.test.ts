import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import {
  answeredKeys,
  limitedRows,
  limitedSchema,
  refusedKeys,
  revokedKeys,
  saltKey,
} from 'chat-gateway-import/fixtures/litellm-limited-keys.ts';
import { fillSqlite } from 'chat-gateway-import/fixtures/source-tables.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-limits-'));
  fillSqlite(join(folder, 'litellm.db'), limitedSchema, limitedRows);
  process.env['LIMITED_SALT_KEY'] = saltKey;
});
afterAll(() => {
  delete process.env['LIMITED_SALT_KEY'];
  rmSync(folder, { recursive: true });
});

interface Shown {
  readonly keys: readonly { readonly name: string; readonly status: number; readonly failure: string | null }[];
  readonly findings: readonly { readonly code: string; readonly params: Readonly<Record<string, string>> }[];
  readonly sums: Readonly<Record<'spend', { readonly source: string; readonly booked: string }>>;
}

async function imported(...words: readonly string[]): Promise<Shown> {
  const store = ['--data', join(folder, 'data'), '--json', '--salt-key-env', 'LIMITED_SALT_KEY'];
  const done = await command('import', 'litellm', join(folder, 'litellm.db'), ...store, ...words);
  return JSON.parse(done.out) as Shown;
}

test('every key that LiteLLM answers and whose limits are taken answers, and no other', async () => {
  const { keys } = await imported('--rehearse');
  const failures = Object.fromEntries(keys.map(({ name, failure }) => [name, failure]));
  const statuses = new Map(keys.map(({ name, status }) => [name, status]));
  expect(Object.fromEntries(Object.keys(answeredKeys).map((name) => [name, failures[name]]))).toEqual(
    Object.fromEntries(Object.keys(answeredKeys).map((name) => [name, null])),
  );
  for (const name of Object.keys(answeredKeys)) expect([name, statuses.get(name)]).toEqual([name, 200]);
  for (const [name, { reason }] of Object.entries(refusedKeys))
    expect([name, failures[name]]).toEqual([name, expect.stringContaining(reason as string)]);
  for (const name of Object.keys(revokedKeys)) expect([name, statuses.get(name)]).toEqual([name, 401]);
});

test('a finding names each key that arrives revoked, and the limit that cannot be carried over', async () => {
  const { findings } = await imported('--plan');
  const lost = findings.filter(({ code }) => code === 'key_limits_lost');
  const found = new Map(lost.map(({ params }) => [params['name'], params['limits']]));
  expect(new Set(found.keys())).toEqual(new Set(Object.keys(revokedKeys)));
  for (const [name, { reason }] of Object.entries(revokedKeys))
    expect([name, found.get(name)]).toEqual([name, expect.stringContaining(reason as string)]);
});

test('the spend of windows is booked in them, and the spend of each key agrees to the last digit', async () => {
  const first = await imported('--apply');
  expect(first.sums.spend.booked).toBe(first.sums.spend.source);
  const shown = await command('keys', 'list', '--json', '--data', join(folder, 'data'));
  const keys = JSON.parse(shown.out) as readonly Readonly<Record<string, unknown>>[];
  const ofKeys = new Map(keys.map((key) => [key['name'], key]));
  expect(ofKeys.get('day window')).toMatchObject({ spend_cap: '5.00', cap_period: 'day', cap_spent: '1.000000001' });
  expect(ofKeys.get('includes the day')).toMatchObject({ spend_cap: '40.00', cap_period: 'month', cap_spent: '25.25' });
  expect(ofKeys.get('larger for a day')).toMatchObject({
    spend_cap: '6.00',
    cap_spent: '2.50',
    expires_at: expect.any(String),
  });
  expect((await imported('--apply')).sums).toEqual(first.sums);
});
