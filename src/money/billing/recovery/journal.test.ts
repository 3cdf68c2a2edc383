import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Journal, journal } from './journal.ts';
import { replayJournals } from './journal-replay.ts';
import type { Settlement } from '../ledger/charging.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-journal-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

function settlement(requestId: string): Settlement {
  const name = { requestId, accountId: 'acc', keyId: 'key', processId: 'p', priceVersion: 'p_1' };
  return { ...name, held: 10n ** 18n, cost: 12_345_678_901_234_567n, by: 'gateway', reason: 'request', at: 1 };
}

const many = (count: number) => Array.from({ length: count }, (_, i) => settlement(`r${i}`));

const refused: unknown[] = [];
const onError = (error: unknown) => void refused.push(error);
beforeEach(() => void refused.splice(0));

async function replayed(...alive: string[]): Promise<Settlement[][]> {
  const batches: Settlement[][] = [];
  const deal = async (batch: readonly Settlement[]) => void batches.push([...batch]);
  await replayJournals(directory, { deal, onError, alive: () => Promise.resolve(alive) });
  return batches;
}

test('a written or appended charge is replayed exactly, and only once', async () => {
  const file = journal(directory, 'p');
  file.note([settlement('a')]);
  await file.append([settlement('b'), settlement('c')]);
  expect(await replayed()).toEqual([['a', 'b', 'c'].map(settlement)]);
  expect(await replayed()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});

describe('while another program locks the ledger', () => {
  const locked = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const alive = () => Promise.resolve([]);

  test('the start waits, says so once, and replays each charge', async () => {
    await journal(directory, 'p').append(many(3));
    const deal = vi.fn().mockRejectedValueOnce(locked).mockRejectedValueOnce(locked);
    const onWaiting = vi.fn();
    await replayJournals(directory, { deal, onError, alive, onWaiting });
    expect(onWaiting.mock.calls).toEqual([['Waiting for the ledger: canceling statement due to statement timeout']]);
    expect(deal.mock.lastCall).toEqual([many(3)]);
    expect(refused).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
  });

  test('the start fails in the end, names the cause and keeps the charges', async () => {
    await journal(directory, 'p').append(many(3));
    const parts = { deal: () => Promise.reject(locked), onError, alive, timeoutMs: 0 };
    const failure = { name: 'DatabaseError', fix: expect.stringContaining('pg_locks'), cause: locked };
    await expect(replayJournals(directory, parts)).rejects.toMatchObject(failure);
    expect(refused).toEqual([]);
    expect((await replayed()).flat()).toEqual(many(3));
  });
});

test('a charge is in the file when note returns', async () => {
  const file = journal(directory, 'p');
  file.note([settlement('a')]);
  const [name] = await readdir(directory);
  expect(await readFile(join(directory, name!), 'utf8')).toContain('"requestId":"a"');
});

test('an incomplete last line is ignored', async () => {
  await journal(directory, 'p').append([settlement('a')]);
  await appendFile(join(directory, 'p.0.jsonl'), '{"requestId":"b","cos');
  expect(await replayed()).toEqual([[settlement('a')]]);
});

test('a journal line in the stored format is replayed', async () => {
  const line = { ...settlement('a'), cost: '12345678901234567', held: String(10n ** 18n) };
  await appendFile(join(directory, 'p.1.jsonl'), `\n${JSON.stringify(line)}\n`);
  expect((await replayed()).flat()).toEqual([settlement('a')]);
  expect(await readdir(directory)).toEqual([]);
});

/** The store has these charges, and their files are tidied. */
async function markBooked(file: Journal, settlements: readonly Settlement[]): Promise<void> {
  file.taken(settlements);
  await file.tidy();
}

test('no file remains once the store has all charges', async () => {
  const file = journal(directory, 'p');
  file.note(many(3));
  await markBooked(file, many(3));
  await file.close();
  expect(await readdir(directory)).toEqual([]);
});

test('no file remains if a charge was written and then appended again', async () => {
  const file = journal(directory, 'p');
  // More than fits into one file.
  file.note(many(500));
  file.note([settlement('next')]);
  await file.append(many(500));
  await markBooked(file, [...many(500), settlement('next')]);
  await file.close();
  expect(await readdir(directory)).toEqual([]);
});

test('a charge that the store lacks remains after close', async () => {
  const file = journal(directory, 'p');
  file.note(many(3));
  await markBooked(file, many(2));
  await file.close();
  expect((await replayed()).flat()).toContainEqual(settlement('r2'));
});

test('no file remains if the store gets the charges after close', async () => {
  const file = journal(directory, 'p');
  file.note([settlement('a')]);
  await file.close();
  await markBooked(file, [settlement('a')]);
  expect(await readdir(directory)).toEqual([]);
});

test('no file remains if charges are written after close', async () => {
  const file = journal(directory, 'p');
  await file.close();
  file.note(many(2));
  expect((await replayed('p')).flat()).toEqual(many(2));
  await markBooked(file, many(2));
  expect(await readdir(directory)).toEqual([]);
});

test('the journal does not grow with the number of charges, even if the store lags', async () => {
  const file = journal(directory, 'p');
  let lagging: readonly Settlement[] = [];
  for (let round = 0; round < 40; round++) {
    const charges = Array.from({ length: 50 }, (_, i) => settlement(`r${round}-${i}`));
    file.note(charges);
    await markBooked(file, lagging);
    lagging = round % 2 === 0 ? charges : [];
    if (round % 2 === 1) await markBooked(file, charges);
  }
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(3 * 64 * 1024);
  await markBooked(file, lagging);
  await file.close();
  expect(await readdir(directory)).toEqual([]);
});

test('full files are reused, so that none has to be opened under load', async () => {
  const file = journal(directory, 'p');
  for (let round = 0; round < 6; round++) {
    const charges = Array.from({ length: 400 }, (_, i) => settlement(`r${round}-${i}`));
    file.note(charges);
    file.note([settlement(`lagging-${round}`)]);
    await markBooked(file, charges);
    await markBooked(file, [settlement(`lagging-${round}`)]);
  }
  expect((await readdir(directory)).toSorted()).toEqual(['p.0.jsonl', 'p.1.jsonl']);
  await file.close();
  expect(await readdir(directory)).toEqual([]);
});

test('a replay books charges in batches of at most 200', async () => {
  await journal(directory, 'p').append(many(450));
  expect((await replayed()).map((batch) => batch.length)).toEqual([200, 200, 50]);
});

test('a failed replay leaves all charges for the next one', async () => {
  await journal(directory, 'p').append([settlement('a')]);
  const deal = () => Promise.reject(new Error('no store'));
  await expect(replayJournals(directory, { deal, onError, alive: () => Promise.resolve([]) })).rejects.toThrow(
    'no store',
  );
  expect(await replayed()).toEqual([[settlement('a')]]);
});

test('a charge that cannot be booked does not block others, is reported, and stays for the next start', async () => {
  await journal(directory, 'p').append(many(450));
  await journal(directory, 'q').append([settlement('a')]);
  const booked = new Set<string>();
  const isPoison = ({ requestId }: Settlement) => requestId === 'r217';
  const deal = async (batch: readonly Settlement[]) => {
    if (batch.some(isPoison)) throw new Error('out of range');
    for (const { requestId } of batch) booked.add(requestId);
  };
  await replayJournals(directory, { deal, onError, alive: () => Promise.resolve([]) });
  expect(booked.size).toBe(450);
  expect(refused).toMatchObject([{ settlement: settlement('r217'), cause: { message: 'out of range' } }]);
  expect(await readdir(directory)).toEqual([expect.stringMatching(/^p\./)]);
  expect((await replayed()).flat()).toContainEqual(settlement('r217'));
  expect(await readdir(directory)).toEqual([]);
});

test('a process that may be alive keeps its file and loses no charge written during a replay', async () => {
  const file = journal(directory, 'p');
  file.note([settlement('a')]);
  expect(await replayed('p')).toEqual([[settlement('a')]]);
  file.note([settlement('b')]);
  expect(await replayed()).toEqual([[settlement('a'), settlement('b')]]);
});

test('a process that starts during a replay keeps its file', async () => {
  const late = journal(directory, 'late');
  journal(directory, 'expired').note([settlement('a')]);
  const alive = () => {
    late.note([settlement('b')]);
    return Promise.resolve([]);
  };
  await replayJournals(directory, { deal: () => Promise.resolve(), onError, alive });
  expect(await replayed()).toEqual([[settlement('b')]]);
});

test('a replay without a journal folder does nothing', async () => {
  await rm(directory, { recursive: true });
  expect(await replayed()).toEqual([]);
  await journal(directory, 'p').append([]);
});

test('a sync resolves after an earlier sync of the same data', async () => {
  const file = journal(directory, 'p');
  file.note([settlement('a')]);
  const first = file.sync();
  const order: string[] = [];
  await Promise.all([first.then(() => order.push('first')), file.sync().then(() => order.push('second'))]);
  expect(order).toEqual(['first', 'second']);
});

test('a file that is removed while it waits for a sync does not block other syncs', async () => {
  const file = journal(directory, 'p');
  const batches = Array.from({ length: 12 }, (_, page) =>
    Array.from({ length: 500 }, (_, i) => settlement(`${page}-${i}`)),
  );
  for (const batch of batches) file.note(batch);
  const synced = file.sync();
  // The store is faster than the disk, and there are more files than are kept as spares.
  for (const batch of batches) await markBooked(file, batch);
  await synced;
  await file.append([settlement('next')]);
  expect((await replayed()).flat()).toContainEqual(settlement('next'));
});
