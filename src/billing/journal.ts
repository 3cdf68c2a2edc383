import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
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
        await handle.appendFile(settlements.map(lineOf).join(''));
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

/** What processes that died left behind. Each file is handed over whole and removed when it was dealt with. */
export async function replayJournals(
  directory: string,
  deal: (settlements: readonly Settlement[]) => Promise<void>,
): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.jsonl'))) {
    const file = join(directory, name);
    const settlements = (await readFile(file, 'utf8')).split('\n').flatMap(settlementIn);
    if (settlements.length > 0) await deal(settlements);
    await rm(file, { force: true });
  }
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
