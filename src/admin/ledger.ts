import { type LedgerFilter, type LedgerLine as BookedLine, ledgerLines } from '../billing/ledger-lines.ts';
import type { Store } from '../store/store.ts';

/** A movement, by an id of its own. */
export interface LedgerLine extends BookedLine {
  readonly id: string;
}

export interface LedgerPart extends Omit<LedgerFilter, 'before' | 'reference'> {
  /** The id of a line: only older ones. */
  readonly before?: string | undefined;
}

/** An account's movements, newest first. */
export async function linesOf(store: Store, { before, ...part }: LedgerPart): Promise<readonly LedgerLine[]> {
  const lines = await ledgerLines(store, { ...part, ...(before && { before: placeOf(before) }) });
  return lines.map((line) => ({ ...line, id: idOf(line) }));
}

/** A line's place in the order of lines is what names it. */
function idOf({ at, kind, reference }: BookedLine): LedgerLine['id'] {
  return `${at}.${kind}.${reference}`;
}

function placeOf(id: string): Pick<BookedLine, 'at' | 'kind' | 'reference'> {
  const [at = '0', kind = '', ...reference] = id.split('.');
  return { at: Number(at), kind: kind as BookedLine['kind'], reference: reference.join('.') };
}
