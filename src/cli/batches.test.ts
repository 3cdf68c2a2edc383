import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putStore } from '../../test/stores/made-store.ts';
import { accounts } from '../money/accounts/accounts.ts';
import { noSums } from '../work/batches/batches.ts';
import { systemClock } from '../core/time/clock.ts';
import { openStore } from '../platform/store/store.ts';
import { registerBatches } from './batches.ts';
import { runCommandLine } from './command-line.ts';

let folder: string;
let printed: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-batches-'));
  await putStore(join(folder, 'data'));
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed += `${line}\n`));
  const store = await openStore({ data: join(folder, 'data') });
  const { id: accountId } = await accounts(store, systemClock).create({ name: 'demo', packageName: 'standard' });
  const row = {
    kind: 'batch',
    format: 'openai',
    account_id: accountId,
    key_id: 'k',
    host: '',
    address: '',
    headers: '{}',
    endpoint: '/v1/embeddings',
    input_file_id: 'file-1',
    created_at: systemClock.now(),
    expires_at: systemClock.now() + 3_600_000,
    lines: 10,
    ...noSums,
    succeeded: 7,
    failed: 2,
    cost: 1_250_000_000n,
  } as const;
  const problems = JSON.stringify([{ code: 'mismatched_url', message: 'url must be…', param: 'url', line: 4 }]);
  const rows = [
    { ...row, id: '1', state: 'failed', ended_at: 1, problems },
    { ...row, id: '2', state: 'in_progress' },
  ] as const;
  for (const values of rows) await store.db.insertInto('batches').values(values).execute();
  await store.close();
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('batches list shows progress and cost, and filters by state', async () => {
  expect(await cli('batches list')).toBe(0);
  expect(printed).toMatch(/batch_2 +demo +\/v1\/embeddings +in_progress +0\/10 +0\.00/);
  expect(printed).toMatch(/batch_1 +demo +\/v1\/embeddings +failed +9\/10 +1\.25/);
  printed = '';
  expect(await cli('batches list --state failed --account demo --json')).toBe(0);
  expect(JSON.parse(printed)).toMatchObject([{ id: 'batch_1', account_name: 'demo', counts: { succeeded: 7 } }]);
  expect(await cli('batches list --state nonsense')).toBe(2);
});

test('batches show prints the problems of the input file', async () => {
  expect(await cli('batches show msgbatch_1')).toBe(0);
  expect(printed).toMatch(/cost so far +1\.25/);
  expect(printed).toMatch(/4 +mismatched_url +url must be…/);
  expect(await cli('batches show none')).toBe(1);
});

test('batches cancel cancels a batch that runs, and refuses one that has ended', async () => {
  expect(await cli('batches cancel batch_2')).toBe(0);
  printed = '';
  expect(await cli('batches list --state cancelling --json')).toBe(0);
  expect(JSON.parse(printed)).toMatchObject([{ id: 'batch_2' }]);
  expect(await cli('batches cancel batch_1')).toBe(1);
  expect(printed).toContain('can no longer be cancelled');
});

function cli(line: string): Promise<number> {
  const words = [...line.split(' '), '--data', join(folder, 'data')];
  return runCommandLine(['node', 'chat-gateway', ...words], [registerBatches]);
}
