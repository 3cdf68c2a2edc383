import { type LedgerFilter, type LedgerLine as BookedLine, ledgerLines } from '../../billing/ledger/ledger-lines.ts';
import type { Store } from '../../store/store.ts';

/** A ledger entry with an id. */
export interface OwnedLedgerLine extends BookedLine {
  readonly id: string;
}

export interface LedgerPart extends Omit<LedgerFilter, 'before' | 'reference'> {
  /** Only entries older than the one with this id. */
  readonly before?: string | undefined;
}

/** The ledger entries of an account, newest first. */
export async function linesOf(store: Store, { before, ...part }: LedgerPart): Promise<readonly OwnedLedgerLine[]> {
  const lines = await ledgerLines(store, { ...part, ...(before && { before: positionOf(before) }) });
  return lines.map((line) => ({ ...line, id: idOf(line) }));
}

/** The id of an entry is its position in the sort order. */
function idOf({ at, kind, reference }: BookedLine): OwnedLedgerLine['id'] {
  return `${at}.${kind}.${reference}`;
}

function positionOf(id: string): Pick<BookedLine, 'at' | 'kind' | 'reference'> {
  const [at = '0', kind = '', ...reference] = id.split('.');
  return { at: Number(at), kind: kind as BookedLine['kind'], reference: reference.join('.') };
}
