import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from './store.ts';

let data: string;
beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'gateway-store-')), 'data');
});
afterEach(() => rmSync(join(data, '..'), { recursive: true }));

test('a store is made private to its owner', async () => {
  const store = await openStore({ data });
  expect(statSync(data).mode & 0o777).toBe(0o700);
  for (const file of ['gateway.db', 'gateway.db-wal']) expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
  await store.close();
});

test('processes that open a new store at the same moment migrate it once', async () => {
  const script = `
    import { openStore } from ${JSON.stringify(new URL('./store.ts', import.meta.url).href)};
    const store = await openStore({ data: ${JSON.stringify(data)} });
    await store.db.insertInto('settings').values({ name: String(process.pid), value: '' }).execute();
    await store.close();`;
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => run(script)));
  expect(outcomes).toEqual(Array.from({ length: 6 }, () => ({ code: 0, errors: '' })));
  const store = await openStore({ data });
  expect(await store.db.selectFrom('settings').selectAll().execute()).toHaveLength(6);
  await store.close();
}, 30_000);

test('what one handle commits, another reads', async () => {
  const [server, command] = await Promise.all([openStore({ data }), openStore({ data })]);
  await command.db.insertInto('settings').values({ name: 'a', value: '1' }).execute();
  expect(await server.db.selectFrom('settings').selectAll().execute()).toEqual([{ name: 'a', value: '1' }]);
  await Promise.all([server.close(), command.close()]);
});

test('a transaction that fails leaves nothing behind', async () => {
  const store = await openStore({ data });
  const failed = store.transaction(async (tx) => {
    await tx.insertInto('settings').values({ name: 'a', value: '1' }).execute();
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');
  expect(await store.db.selectFrom('settings').selectAll().execute()).toEqual([]);
  await store.close();
});

test('two handles that read and then write in a transaction take turns', async () => {
  const handles = await Promise.all([openStore({ data }), openStore({ data })]);
  const increment = (store: (typeof handles)[number]) =>
    store.transaction(async (tx) => {
      const row = await tx.selectFrom('settings').select('value').where('name', '=', 'n').executeTakeFirst();
      const value = String(Number(row?.value ?? 0) + 1);
      await tx
        .insertInto('settings')
        .values({ name: 'n', value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    });
  await Promise.all(Array.from({ length: 20 }, () => Promise.all(handles.map(increment))));
  const row = await handles[0].db.selectFrom('settings').select('value').executeTakeFirstOrThrow();
  expect(row.value).toBe('40');
  await Promise.all(handles.map((store) => store.close()));
});

test('a store of a newer version is refused in words', async () => {
  const store = await openStore({ data });
  await store.db
    .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
    .insertInto('kysely_migration')
    .values({ name: '9999-future', timestamp: '2030-01-01T00:00:00Z' })
    .execute();
  await store.close();
  await expect(openStore({ data })).rejects.toThrow('newer version');
});

test('a key cannot belong to an account that does not exist', async () => {
  const store = await openStore({ data });
  const orphan = { id: 'k', account_id: 'none', name: '', digest: 'd', display: '', created_at: 0 };
  await expect(store.db.insertInto('api_keys').values(orphan).execute()).rejects.toThrow(/foreign key/i);
  await store.close();
});

async function run(script: string): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, code] = await Promise.all([
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, errors };
}
