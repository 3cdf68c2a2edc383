import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bisect } from '../../../platform/store/bisect.ts';
import { whileUnreachable } from '../../../platform/store/postgres/unreachable.ts';
import type { Settlement } from '../ledger/charging.ts';
import { DeadLetterCharge } from './dead-letter-charge.ts';
import { decodeSettlement, type SettlementJson } from '../ledger/settlement-json.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export interface BookParts {
  /** Books them. Charges that are already booked do not change. */
  readonly deal: (settlements: readonly Settlement[]) => Promise<unknown>;
  /** Called with a `DeadLetterCharge` for each charge that cannot be booked although others can. */
  readonly onError: (error: unknown) => void;
}

export interface ReplayParts extends BookParts {
  /** The ids of processes that may still write. Their charges are booked, but their files stay. */
  readonly alive: () => Promise<readonly string[]>;
  /** Called with a sentence when the replay begins to wait for the store. */
  readonly onWaiting?: ((sentence: string) => void) | undefined;
  readonly timeoutMs?: number;
}

const settlementsPerBatch = 200;
const defaultTimeoutMs = 30_000;

/**
 * Books the charges in all journals of this machine, in batches, and removes the files of expired processes. A file
 * with a charge that cannot be booked stays for investigation. Waits for a store that is away, or whose ledger is locked.
 */
export async function replayJournals(directory: string, parts: ReplayParts): Promise<void> {
  const { onWaiting, timeoutMs = defaultTimeoutMs } = parts;
  await whileUnreachable(() => replay(directory, parts), { place: 'the ledger', timeoutMs, onWaiting });
}

async function replay(directory: string, { alive, ...parts }: ReplayParts): Promise<void> {
  const files = await journalsIn(directory);
  // Read after the file list: a process registers before its first file, so every listed file has an owner by now.
  const aliveIds = files.length === 0 ? [] : await alive();
  for (const name of files) {
    const isBooked = await bookFile(join(directory, name), parts);
    const [owner = ''] = name.split('.');
    if (isBooked && !aliveIds.includes(owner)) await rm(join(directory, name), { force: true });
  }
}

/** Books the same charges and removes no file: a process that expired by mistake still writes to its files. */
export async function bookJournals(directory: string, parts: BookParts): Promise<void> {
  for (const name of await journalsIn(directory)) await bookFile(join(directory, name), parts);
}

async function journalsIn(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory).catch(noneIfAbsent);
  return names.filter((each) => each.endsWith('.jsonl'));
}

/** Returns whether all charges of the file are booked. */
async function bookFile(file: string, { deal, onError }: BookParts): Promise<boolean> {
  const settlements = (await readFile(file, 'utf8').catch(nothingIfAbsent)).split('\n').flatMap(settlementIn);
  const refused = new Map<string, DeadLetterCharge>();
  for (let start = 0; start < settlements.length; start += settlementsPerBatch) {
    const rejected = await bisect(settlements.slice(start, start + settlementsPerBatch), deal);
    // A file may contain a charge more than once.
    for (const { item, error } of rejected) refused.set(item.requestId, new DeadLetterCharge(item, error));
  }
  for (const charge of refused.values()) onError(charge);
  return refused.size === 0;
}

/** The folder is created with the first journal file. */
function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** Its process may have removed the file since it was listed. */
function nothingIfAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** Skips a partial line. Its charge was never acknowledged. */
function settlementIn(line: string): Settlement[] {
  try {
    return [decodeSettlement(ownJson(line) as SettlementJson)];
  } catch {
    return [];
  }
}
