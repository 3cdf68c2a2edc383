import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { testStores } from '../../../test/stores/stores.ts';

// The engines lock migrations in different ways, so one suite runs the test on both.
describe.each(['sqlite', 'postgres'] as const)('on %s', (home) => {
  const { open, place } = testStores(home, 'nothing');

  test('processes that open a new store at the same moment migrate it once', async () => {
    const script = `
    import { openStore } from ${JSON.stringify(new URL('./store.ts', import.meta.url).href)};
    const store = await openStore(${JSON.stringify(place())});
    await store.db.insertInto('settings').values({ name: String(process.pid), value: String(store.migrated.length) }).execute();
    await store.close();`;
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => run(script)));
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => ({ code: 0, errors: '' })));
    const store = await open();
    const rows = await store.db.selectFrom('settings').selectAll().execute();
    expect(rows).toHaveLength(6);
    expect(rows.filter(({ value }) => value !== '0')).toHaveLength(1);
  });
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
