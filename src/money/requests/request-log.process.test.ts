import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testStores } from '../../../test/stores/stores.ts';
import { listRequests } from './find-requests.ts';
import { recordWith } from '../../../test/fixtures/requests/record.ts';

// The effect of a kill depends on the engine, so one suite runs the test on both.
describe.each(['sqlite', 'postgres'] as const)('on %s', (home) => {
  const { engine, open, place } = testStores(home);

  test('a process killed while writing loses no record whose commit was confirmed', async () => {
    const store = await open();
    const storedLast = await lastStoredOf(writer());
    expect(storedLast).toBeGreaterThan(0);
    const found = await listRequests(store, { limit: 100_000 });
    expect(found.length).toBeGreaterThanOrEqual(storedLast + 1);
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    if (engine === 'postgres') return;
    const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(store.db);
    expect(check.rows).toEqual([{ integrity_check: 'ok' }]);
  });

  /** Writes and flushes in an endless loop, and prints the number of each record once it is stored. */
  function writer(): ChildProcess {
    const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const script = `
    import { openStore } from ${url('../../platform/store/store.ts')};
    import { requestLog } from ${url('./request-log.ts')};
    const store = await openStore(${JSON.stringify(place())});
    const log = requestLog({ store, onDropped() {} });
    const record = ${JSON.stringify(recordWith({ id: '' }))};
    for (let index = 0; ; index += 1) {
      log.write({ ...record, id: 'r' + index });
      if (index % 10 !== 9) continue;
      await log.flush();
      process.stdout.write(index + '\\n');
    }`;
    return spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }
});

async function lastStoredOf(child: ChildProcess): Promise<number> {
  let last = -1;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout! })) {
    last = Number(line);
    lines += 1;
    if (lines === 30) child.kill('SIGKILL');
  }
  if (child.signalCode === null) await once(child, 'exit');
  return last;
}
