import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settlement } from './charging.ts';
import { exact, type PlainSettlement } from './plain-settlement.ts';

export interface ReplayParts {
  /** Books them; what is booked already stays as it is. */
  readonly deal: (settlements: readonly Settlement[]) => Promise<unknown>;
  /** The processes that may still be writing. What they have written is booked all the same, but they keep their files. */
  readonly alive: () => Promise<readonly string[]>;
}

const settlementsPerTurn = 200;

/** Books what processes on this machine wrote down and may not have booked, in bounded pieces, and removes what the dead left. */
export async function replayJournals(directory: string, { deal, alive }: ReplayParts): Promise<void> {
  const files = await journalsIn(directory);
  // Asked afterwards: a process makes itself known before its first file, so each of these files has an owner by now.
  const living = files.length === 0 ? [] : await alive();
  for (const name of files) {
    await bookFile(join(directory, name), deal);
    const [owner = ''] = name.split('.');
    if (!living.includes(owner)) await rm(join(directory, name), { force: true });
  }
}

/** The same and no more: a process that was taken for dead by mistake goes on writing to its files. */
export async function bookJournals(directory: string, deal: ReplayParts['deal']): Promise<void> {
  for (const name of await journalsIn(directory)) await bookFile(join(directory, name), deal);
}

async function journalsIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(noneIfAbsent);
  return names.filter((each) => /\.jsonl(\.replay)?$/.test(each));
}

async function bookFile(file: string, deal: ReplayParts['deal']): Promise<void> {
  const settlements = (await readFile(file, 'utf8').catch(nothingIfAbsent)).split('\n').flatMap(settlementIn);
  for (let start = 0; start < settlements.length; start += settlementsPerTurn) {
    await deal(settlements.slice(start, start + settlementsPerTurn));
  }
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
