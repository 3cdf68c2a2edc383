import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import type { Settlement } from './settle.ts';

/** Settlements the store could not take in time, safe on disk until it can. */
export interface Journal {
  /** Resolves when the settlements are on disk for good. */
  append(settlements: readonly Settlement[]): Promise<void>;
  /** The store has taken everything. */
  clear(): Promise<void>;
}

export function journal(directory: string, processId: string, failpoint: Failpoint = noFailpoint): Journal {
  const file = join(directory, `${processId}.jsonl`);
  let isThere = false;
  return {
    async append(settlements) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const handle = await open(file, 'a', 0o600);
      try {
        isThere = true;
        // On a line of its own, whatever a disk that was full has made of the one before.
        await handle.appendFile(`\n${settlements.map(lineOf).join('')}`);
        await handle.datasync();
        failpoint('ledger.journaled');
      } finally {
        await handle.close();
      }
    },
    async clear() {
      if (isThere) await rm(file, { force: true });
      isThere = false;
    },
  };
}

const settlementsPerTurn = 200;

/**
 * What processes that died left behind, handed over in bounded pieces; a file is removed when all of it was dealt with.
 * It is moved aside first: should its process live after all, what it still appends goes to a file of its own.
 */
export async function replayJournals(
  directory: string,
  deal: (settlements: readonly Settlement[]) => Promise<void>,
): Promise<void> {
  const names = await readdir(directory).catch(noneIfAbsent);
  for (const name of names.filter((each) => /\.jsonl(\.replay)?$/.test(each))) {
    const isAside = name.endsWith('.replay');
    const aside = join(directory, isAside ? name : `${randomUUID()}.jsonl.replay`);
    if (!isAside) await rename(join(directory, name), aside);
    await replay(aside, deal);
  }
}

/** Without a folder nothing was ever journaled. */
function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function replay(file: string, deal: (settlements: readonly Settlement[]) => Promise<void>): Promise<void> {
  for (let done = 0; ; ) {
    const text = await readFile(file, 'utf8');
    if (text.length === done) break;
    const settlements = text.slice(done).split('\n').flatMap(settlementIn);
    for (let start = 0; start < settlements.length; start += settlementsPerTurn) {
      await deal(settlements.slice(start, start + settlementsPerTurn));
    }
    done = text.length;
  }
  await rm(file);
}

function lineOf(settlement: Settlement): string {
  return `${JSON.stringify({ ...settlement, cost: String(settlement.cost), held: String(settlement.held) })}\n`;
}

/** The last line may be half written: then nobody was told that it is safe. */
function settlementIn(line: string): Settlement[] {
  try {
    const { cost, held, ...rest } = JSON.parse(line) as Omit<Settlement, 'cost' | 'held'> & {
      cost: string;
      held: string;
    };
    return [{ ...rest, cost: BigInt(cost), held: BigInt(held) }];
  } catch {
    return [];
  }
}
