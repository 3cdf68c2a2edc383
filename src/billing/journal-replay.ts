import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bisect } from '../store/bisect.ts';
import type { Settlement } from './charging.ts';
import { RefusedCharge } from './refused-charge.ts';
import { exact, type PlainSettlement } from './plain-settlement.ts';

export interface BookParts {
  /** Books them; what is booked already stays as it is. */
  readonly deal: (settlements: readonly Settlement[]) => Promise<unknown>;
  /** Hears of each charge that cannot be booked although others can, as a `RefusedCharge`. */
  readonly onError: (error: unknown) => void;
}

export interface ReplayParts extends BookParts {
  /** The processes that may still be writing. What they have written is booked all the same, but they keep their files. */
  readonly alive: () => Promise<readonly string[]>;
}

const settlementsPerTurn = 200;

/**
 * Books what processes on this machine wrote down and may not have booked, in bounded pieces, and removes what the dead
 * left. A file with a charge that cannot be booked stays, for whoever finds out why.
 */
export async function replayJournals(directory: string, { alive, ...parts }: ReplayParts): Promise<void> {
  const files = await journalsIn(directory);
  // Asked afterwards: a process makes itself known before its first file, so each of these files has an owner by now.
  const living = files.length === 0 ? [] : await alive();
  for (const name of files) {
    const isBooked = await bookFile(join(directory, name), parts);
    const [owner = ''] = name.split('.');
    if (isBooked && !living.includes(owner)) await rm(join(directory, name), { force: true });
  }
}

/** The same and no more: a process that was taken for dead by mistake goes on writing to its files. */
export async function bookJournals(directory: string, parts: BookParts): Promise<void> {
  for (const name of await journalsIn(directory)) await bookFile(join(directory, name), parts);
}

async function journalsIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(noneIfAbsent);
  return names.filter((each) => /\.jsonl(\.replay)?$/.test(each));
}

/** Whether all of it is booked. */
async function bookFile(file: string, { deal, onError }: BookParts): Promise<boolean> {
  const settlements = (await readFile(file, 'utf8').catch(nothingIfAbsent)).split('\n').flatMap(settlementIn);
  const refused = new Map<string, RefusedCharge>();
  for (let start = 0; start < settlements.length; start += settlementsPerTurn) {
    const found = await bisect(settlements.slice(start, start + settlementsPerTurn), deal);
    // A charge may stand there more than once.
    for (const { item, error } of found) refused.set(item.requestId, new RefusedCharge(item, error));
  }
  for (const charge of refused.values()) onError(charge);
  return refused.size === 0;
}

/** Without a folder nothing was ever journaled. */
function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** Its process has finished with it meanwhile. */
function nothingIfAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** The last line may be half written: then nobody was told that it is safe. */
function settlementIn(line: string): Settlement[] {
  try {
    return [exact(JSON.parse(line) as PlainSettlement)];
  } catch {
    return [];
  }
}
