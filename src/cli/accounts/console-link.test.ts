import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLink } from '../../money/accounts/one-time-links.ts';
import { createUser } from '../../money/accounts/users.ts';
import { openPepper } from '../../platform/secrets/pepper.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openStore } from '../../platform/store/store.ts';
import { run } from '../program.ts';
import { storeServedPort } from '../serve/served-port.ts';

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'gateway-link-'));
});
afterEach(() => rm(data, { recursive: true }));

test('console-link creates a link that its store accepts, without a running gateway', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await run(['node', 'chat-gateway', 'console-link', '--data', data, '--json'])).toBe(0);
  const { link } = JSON.parse(String(printed.mock.calls[0]?.[0])) as { link: string };
  printed.mockRestore();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/app\/setup\?token=gwl_/);
  const store = await openStore({ data });
  const pepper = await openPepper(store, { data, secret: undefined });
  const secret = new URL(link).searchParams.get('token') ?? '';
  const found = await openLink({ store, pepper, clock: systemClock }, secret);
  await store.close();
  expect(found?.purpose).toEqual({ kind: 'setup' });
});

test('console-link uses the given port, and fails for a store that no gateway has used', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const config = join(data, 'gateway.yaml');
  await writeFile(config, 'data: ./elsewhere\n');
  expect(await run(['node', 'chat-gateway', 'console-link', '--config', config])).toBe(1);
  expect(existsSync(join(data, 'elsewhere'))).toBe(false);
  expect(await run(['node', 'chat-gateway', 'console-link', '--data', data, '--json', '--port', '9001'])).toBe(0);
  expect(String(printed.mock.calls[0]?.[0])).toContain('http://127.0.0.1:9001/app/setup');
  const store = await openStore({ data });
  for (const port of [9002, 9003]) await storeServedPort(store, port);
  await store.close();
  expect(await run(['node', 'chat-gateway', 'console-link', '--data', data, '--json'])).toBe(0);
  expect(String(printed.mock.calls[1]?.[0])).toContain('http://127.0.0.1:9003/app/setup');
  printed.mockRestore();
  failed.mockRestore();
});

test('people reset creates a link for a known user only', async () => {
  const store = await openStore({ data });
  const ada = { email: 'ada@example.com', name: 'Ada', passwordHash: '', isVerified: true };
  await createUser(store.db, systemClock, ada);
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const failed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const reset = (email: string) =>
    run(['node', 'chat-gateway', 'people', 'reset', email, '--lost', 'both', '--data', data, '--json']);
  expect(await reset('stranger@example.com')).toBe(1);
  expect(await reset('Ada@example.com')).toBe(0);
  const { link } = JSON.parse(String(printed.mock.calls[0]?.[0])) as { link: string };
  printed.mockRestore();
  failed.mockRestore();
  const pepper = await openPepper(store, { data, secret: undefined });
  const secret = new URL(link).searchParams.get('token') ?? '';
  const found = await openLink({ store, pepper, clock: systemClock }, secret);
  const lines = await store.db.selectFrom('audit').select(['actor', 'action']).execute();
  await store.close();
  expect(found?.purpose).toEqual({
    kind: 'reset',
    email: 'ada@example.com',
    resets: 'both',
    right: { operator: 'owner' },
  });
  expect(lines).toEqual([{ actor: 'cli', action: 'resetPerson' }]);
});
