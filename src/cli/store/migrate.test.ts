import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { systemClock } from '../../core/time/clock.ts';
import { migrations } from '../../platform/store/migrate.ts';
import { run } from '../program.ts';

let folder: string;
let printed: { out: string; err: string };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-migrate-'));
  printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed.out += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed.err += `${line}\n`));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

forEachStore(({ open, place }) => {
  const options = () => Object.entries(place()).flatMap(([name, value]) => [`--${name}`, String(value)]);

  test('migrate lists the migrations it ran, and the second time reports an up-to-date store', async () => {
    expect(await cli('migrate', ...options())).toBe(0);
    expect(printed.out).toContain('0001-baseline');
    expect(await cli('migrate', ...options())).toBe(0);
    expect(printed.out).toContain('is up to date.');
  });

  test('migrate uses the store of the configuration file', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, JSON.stringify(place()));
    expect(await cli('migrate', '--json', '--config', file)).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({ migrations: Object.keys(migrations) });
    expect((await open()).migrated).toEqual([]);
  });

  test('migrate rejects a store of a newer version', async () => {
    const store = await open();
    await store.db
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .insertInto('kysely_migration')
      .values({ name: '9999-future', timestamp: '2030-01-01T00:00:00Z' })
      .execute();
    expect(await cli('migrate', ...options())).toBe(1);
    expect(printed.err).toContain('newer version');
  });

  test('the store options of the command line override the configuration file', async () => {
    const file = join(folder, 'gateway.yaml');
    writeFileSync(file, 'data: ./unused\ndatabase: ${NOT_SET_ANYWHERE}\n');
    expect(await cli('accounts', 'create', 'demo', '--config', file, ...options())).toBe(0);
    expect(await accounts(await open(), systemClock).list()).toHaveLength(1);
  });
}, 'nothing');

test('an invalid database address is rejected and not printed', async () => {
  expect(await cli('keys', 'list', '--database', 'mysql://u:canary@db.example/x')).toBe(2);
  expect(printed.err).toContain('--database is not a PostgreSQL URL.');
  expect(printed.err).not.toContain('canary');
});

function cli(...words: string[]): Promise<number> {
  return run(['node', 'chat-gateway', ...words]);
}
