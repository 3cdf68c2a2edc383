import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putStore } from '../../../test/stores/made-store.ts';
import { makeLink, openLinkOf } from '../../money/accounts/one-time-links.ts';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { auditLines } from '../../manage/admin/api/audit.ts';
import { tokenHolder } from '../../manage/admin/api/tokens.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openStore, type Store } from '../../platform/store/store.ts';
import { registerAccounts } from './accounts.ts';
import { runCommandLine } from '../command-line.ts';
import { registerTokens } from './tokens.ts';

let data: string;
let printed: string;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'gateway-cli-tokens-'));
  await putStore(data);
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed += `${line}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed += String(text))));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(data, { recursive: true });
});

test('an admin token is created, listed without its secret and revoked, with an audit entry for each change', async () => {
  expect(await cli('admin-tokens create --name ops --role operator')).toBe(0);
  const [secret = ''] = /gwa_live_\w{38}/.exec(printed) ?? [];
  expect(printed).toContain(`curl http://127.0.0.1:8080/admin/v1/system -H 'Authorization: Bearer ${secret}'`);
  expect(await holder(secret)).toMatchObject({ name: 'ops', role: 'operator', accountId: undefined });
  printed = '';
  await cli('admin-tokens list');
  expect(printed).toMatch(/ops\s+operator/);
  expect(printed).toMatch(/created by[^\n]*\n.*\bcli\b/i);
  expect(printed).not.toContain(secret);
  expect(await cli('admin-tokens revoke ops')).toBe(0);
  expect(await holder(secret)).toBeUndefined();
  const lines = await withStore((store) => auditLines(store, { limit: 10 }));
  expect(lines.map(({ action, actor }) => `${actor} ${action}`)).toEqual(['cli revokeToken', 'cli createToken']);
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('an account token is bound to its account, and admin-tokens cannot revoke it', async () => {
  await cli('accounts create demo');
  printed = '';
  await cli('account-tokens create --account demo --json');
  const { secret, account_id: accountId, id } = JSON.parse(printed);
  expect(await holder(secret)).toMatchObject({ role: 'account', accountId });
  expect(await cli(`admin-tokens revoke ${id}`)).toBe(1);
  expect(await cli(`account-tokens revoke ${id}`)).toBe(0);
  expect(await holder(secret)).toBeUndefined();
});

test('revoking a token withdraws the reset links it created', async () => {
  await cli('admin-tokens create --name ops --role operator --json');
  const { id } = JSON.parse(printed);
  const made = await withStore(async (store) => {
    const pepper = await openPepper(store, { data, secret: undefined });
    const making = { store, pepper, clock: systemClock };
    const reset = { kind: 'reset', resets: 'both', right: { operator: 'operator' } } as const;
    const own = await makeLink(making, { ...reset, email: 'ada@example.com' }, id);
    const other = await makeLink(making, { ...reset, email: 'bob@example.com' }, 'tok_other');
    return [own.link.id, other.link.id];
  });
  expect(await cli('admin-tokens revoke ops')).toBe(0);
  const open = await withStore((store) => Promise.all(made.map((link) => openLinkOf(store.db, systemClock, link))));
  expect(open.map((link) => link?.createdBy)).toEqual([undefined, 'tok_other']);
});

test('an unknown role and an unknown account are rejected', async () => {
  expect(await cli('admin-tokens create --name x --role account')).toBe(2);
  expect(await cli('admin-tokens create --name x')).toBe(2);
  expect(await cli('account-tokens create --account stranger')).toBe(1);
});

function cli(line: string): Promise<number> {
  const argv = ['node', 'chat-gateway', '--data', data, ...line.split(' ')];
  return runCommandLine(argv, [registerAccounts, registerTokens]);
}

function holder(secret: string) {
  return withStore(async (store) =>
    tokenHolder({ store, pepper: await openPepper(store, { data, secret: undefined }) }, secret),
  );
}

async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({ data });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
