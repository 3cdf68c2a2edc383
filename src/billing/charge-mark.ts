import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { Settlement } from './charging.ts';

/**
 * Keeps on this machine's disk, outside the store, which charge was seen in the ledger last. A store that does not know
 * it later was replaced by an older copy of itself: nothing inside such a copy could tell.
 */
export interface ChargeMark {
  /** The store has these now. */
  booked(settlements: readonly Settlement[]): void;
  /** Writes what was not written yet. */
  stop(): Promise<void>;
}

/** Charges that the ledger had once and has no more. */
export interface LedgerGap {
  /** One of them. */
  readonly requestId: string;
  /** The last movement before it that the ledger still knows; `undefined` when it knows none. */
  readonly from: number | undefined;
  /** When the missing charge was made. */
  readonly until: number;
  /** The file that remembers it. Without it the gap is forgotten. */
  readonly file: string;
}

interface HighWaterMark {
  /** Whose charge it is: a folder may be used with another store later, which owes nobody an explanation. */
  readonly ledger: string;
  readonly requestId: string;
  readonly at: number;
}

const saveEveryMs = 1000;
const markFile = 'ledger-mark.json';

export function chargeMark(parts: {
  readonly folder: string;
  readonly ledger: string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): ChargeMark {
  const file = join(parts.folder, markFile);
  let unsaved: HighWaterMark | undefined;
  let timer: Timer | undefined;
  let saving = Promise.resolve();

  function save(): Promise<void> {
    parts.clock.cancel(timer);
    timer = undefined;
    saving = saving.then(write).catch(parts.onError);
    return saving;
  }

  async function write(): Promise<void> {
    const mark = unsaved;
    if (!mark) return;
    unsaved = undefined;
    // Several processes may share the folder, and a crash must not leave half a file.
    await mkdir(parts.folder, { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, JSON.stringify(mark), { mode: 0o600 });
    await rename(draft, file);
  }

  return {
    booked(settlements) {
      const last = settlements.findLast(({ cost }) => cost > 0n);
      if (!last) return;
      unsaved = { ledger: parts.ledger, requestId: last.requestId, at: parts.clock.now() };
      if (timer) return;
      timer = parts.clock.after(saveEveryMs, () => void save());
      timer.unref();
    },
    stop: save,
  };
}

/** The name of a store's ledger, which every copy of it has; given at the first start. */
export async function ledgerName(store: Store): Promise<string> {
  const row = { name: settingName, value: randomUUID() };
  await store.db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await knownName(store)) ?? row.value;
}

/** What the ledger should know and does not, by what this machine remembers. */
export async function ledgerGaps(store: Store, folder: string): Promise<readonly LedgerGap[]> {
  const ledger = await knownName(store);
  const all = await readdir(folder).catch(noneIfAbsent);
  const names = all.filter((name) => name === markFile || gapName.test(name)).toSorted();
  const gaps: LedgerGap[] = [];
  for (const name of names) {
    const mark = markIn(await readFile(join(folder, name), 'utf8'));
    if (!mark || mark.ledger !== ledger || (await isKnown(store, mark))) continue;
    const from = await lastBefore(store, mark.at);
    gaps.push({ requestId: mark.requestId, from, until: mark.at, file: join(folder, name) });
  }
  return gaps;
}

/** The same at a start; what is found is put aside, so that the charges to come do not write over it. */
export async function keepLedgerGaps(store: Store, folder: string): Promise<readonly LedgerGap[]> {
  const gaps = await ledgerGaps(store, folder);
  const kept = gaps.map(async (gap) => {
    const file = join(folder, `ledger-gap-${gap.until}.json`);
    if (gap.file !== file) await rename(gap.file, file);
    return { ...gap, file };
  });
  return Promise.all(kept);
}

const settingName = 'ledger';

async function knownName(store: Store): Promise<string | undefined> {
  const row = store.db.selectFrom('settings').select('value').where('name', '=', settingName);
  return (await row.executeTakeFirst())?.value;
}

function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

const gapName = /^ledger-gap-\d+\.json$/;

/** A file that is not ours says nothing. */
function markIn(text: string): HighWaterMark | undefined {
  try {
    const { ledger, requestId, at } = JSON.parse(text) as Record<keyof HighWaterMark, unknown>;
    const isMark = typeof ledger === 'string' && typeof requestId === 'string' && typeof at === 'number';
    return isMark ? { ledger, requestId, at } : undefined;
  } catch {
    return undefined;
  }
}

async function isKnown(store: Store, { requestId }: HighWaterMark): Promise<boolean> {
  const charge = store.db.selectFrom('transfers').select('kind').where('reference', '=', requestId);
  return (await charge.where('kind', '=', 'charge').executeTakeFirst()) !== undefined;
}

async function lastBefore(store: Store, at: number): Promise<number | undefined> {
  const query = store.db.selectFrom('transfers').select((transfer) => transfer.fn.max('at').as('at'));
  return (await query.where('at', '<=', at).executeTakeFirst())?.at ?? undefined;
}
