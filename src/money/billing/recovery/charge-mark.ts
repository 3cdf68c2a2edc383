import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { Settlement } from '../ledger/charging.ts';

/**
 * The ledger's high-water mark: keeps the last charge seen in the ledger on local disk, outside the store. If the store
 * lacks that charge later, it was replaced by an older copy. Nothing inside such a copy could reveal that.
 */
export interface ChargeMark {
  /** Call this when the store has booked these. */
  booked(settlements: readonly Settlement[]): void;
  /** Writes the mark if it has changed. */
  stop(): Promise<void>;
}

/** A span of the ledger with charges that it once had and now lacks. */
export interface LedgerGap {
  /** One of the missing charges. */
  readonly requestId: string;
  /** Time of the last movement before it that the ledger still has. `undefined` if there is none. */
  readonly from: number | undefined;
  /** When the missing charge was made. */
  readonly until: number;
  /** The file that records the gap. If it is deleted, the gap is no longer reported. */
  readonly file: string;
}

interface HighWaterMark {
  /** The ledger of the charge. The folder may later be used with another store, which does not have that charge. */
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

/** The id of a store's ledger, created at the first start. Every copy of the store has the same id. */
export async function ledgerName(store: Store): Promise<string> {
  const row = { name: settingName, value: randomUUID() };
  await store.db
    .insertInto('settings')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await storedName(store)) ?? row.value;
}

/** Compares the marks on this machine's disk with the ledger. */
export async function ledgerGaps(store: Store, folder: string): Promise<readonly LedgerGap[]> {
  const ledger = await storedName(store);
  const all = await readdir(folder).catch(noneIfAbsent);
  const names = all.filter((name) => name === markFile || gapName.test(name)).toSorted();
  const gaps: LedgerGap[] = [];
  for (const name of names) {
    const mark = parseMark(await readFile(join(folder, name), 'utf8'));
    if (!mark || mark.ledger !== ledger || (await isInLedger(store, mark))) continue;
    const from = await lastBefore(store, mark.at);
    gaps.push({ requestId: mark.requestId, from, until: mark.at, file: join(folder, name) });
  }
  return gaps;
}

/** Does the same at start, and renames the files of the gaps, so that later charges do not overwrite them. */
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

async function storedName(store: Store): Promise<string | undefined> {
  const row = store.db.selectFrom('settings').select('value').where('name', '=', settingName);
  return (await row.executeTakeFirst())?.value;
}

function noneIfAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

const gapName = /^ledger-gap-\d+\.json$/;

/** Returns `undefined` for a file with other contents. */
function parseMark(text: string): HighWaterMark | undefined {
  try {
    const { ledger, requestId, at } = ownJson(text) as Record<keyof HighWaterMark, unknown>;
    const isMark = typeof ledger === 'string' && typeof requestId === 'string' && typeof at === 'number';
    return isMark ? { ledger, requestId, at } : undefined;
  } catch {
    return undefined;
  }
}

async function isInLedger(store: Store, { requestId }: HighWaterMark): Promise<boolean> {
  const charge = store.db.selectFrom('transfers').select('kind').where('reference', '=', requestId);
  return (await charge.where('kind', '=', 'charge').executeTakeFirst()) !== undefined;
}

async function lastBefore(store: Store, at: number): Promise<number | undefined> {
  const query = store.db.selectFrom('transfers').select((transfer) => transfer.fn.max('at').as('at'));
  return (await query.where('at', '<=', at).executeTakeFirst())?.at ?? undefined;
}
