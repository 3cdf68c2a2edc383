import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journal, replayJournals } from './journal.ts';
import type { Settlement } from './settle.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-journal-'));
});
afterEach(() => rm(directory, { recursive: true }));

function settlement(requestId: string): Settlement {
  const name = { requestId, accountId: 'acc', keyId: 'key', processId: 'p', priceVersion: 'p_1' };
  return { ...name, held: 10n ** 18n, cost: 12_345_678_901_234_567n, by: 'gateway', reason: 'request', at: 1 };
}

async function replayed(): Promise<Settlement[][]> {
  const batches: Settlement[][] = [];
  await replayJournals(directory, (batch) => Promise.resolve(void batches.push([...batch])));
  return batches;
}

test('what was written is read again to the last nano-unit, and only once', async () => {
  const file = journal(directory, 'p');
  await file.append([settlement('a'), settlement('b')]);
  await file.append([settlement('c')]);
  expect(await replayed()).toEqual([['a', 'b', 'c'].map(settlement)]);
  expect(await replayed()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

test('a last line that was not finished counts for nothing', async () => {
  await journal(directory, 'p').append([settlement('a')]);
  await appendFile(join(directory, 'p.jsonl'), '{"requestId":"b","cos');
  expect(await replayed()).toEqual([[settlement('a')]]);
});

test('a line that a full disk cut short costs only itself, and what follows is there', async () => {
  const file = journal(directory, 'p');
  await appendFile(join(directory, 'p.jsonl'), '{"requestId":"b","cos');
  await file.append([settlement('a'), settlement('b')]);
  expect(await replayed()).toEqual([[settlement('a'), settlement('b')]]);
});

test('what the store has taken is not replayed', async () => {
  const file = journal(directory, 'p');
  await file.append([settlement('a')]);
  await file.clear();
  await file.clear();
  expect(await replayed()).toEqual([]);
});

test('many are handed over in bounded pieces', async () => {
  await journal(directory, 'p').append(Array.from({ length: 450 }, (_, i) => settlement(`r${i}`)));
  expect((await replayed()).map((batch) => batch.length)).toEqual([200, 200, 50]);
});

test('a replay that fails leaves everything for the next one', async () => {
  await journal(directory, 'p').append([settlement('a')]);
  await expect(replayJournals(directory, () => Promise.reject(new Error('no store')))).rejects.toThrow('no store');
  expect(await replayed()).toEqual([[settlement('a')]]);
});

test('a process that lives after all loses nothing that it appends meanwhile', async () => {
  const file = journal(directory, 'p');
  await file.append([settlement('a')]);
  await replayJournals(directory, () => file.append([settlement('b')]));
  expect(await replayed()).toEqual([[settlement('b')]]);
});

test('no journals are no trouble', async () => {
  await rm(directory, { recursive: true });
  expect(await replayed()).toEqual([]);
  await journal(directory, 'p').append([]);
});
