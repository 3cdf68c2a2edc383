import type { Nano } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';
import type { BookingKind } from './book.ts';
import { moneyText } from './locked-accounts.ts';

/** One line of an account's ledger, as its owner sees it. */
export interface LedgerLine {
  readonly at: number;
  readonly kind: BookingKind;
  /** The id of the request, or the reference of the order. */
  readonly reference: string;
  readonly keyId: string | undefined;
  /** Spending is negative. */
  readonly amount: Nano;
  readonly by: string;
  readonly reason: string;
  readonly priceVersion: string | undefined;
}

export interface LedgerFilter {
  readonly accountId: string;
  readonly reference?: string;
  readonly kind?: string;
  /** Only lines at or after this time. */
  readonly since?: number;
  /** Only lines before this time. */
  readonly until?: number;
  /** Cursor: only lines after this one, in reading order. */
  readonly before?: Pick<LedgerLine, 'at' | 'reference' | 'kind'> | undefined;
  /** The default is newest first. */
  readonly order?: 'oldest-first';
  readonly limit: number;
}

/** Every movement with this reference, of any account, oldest first. */
export async function linesUnder(store: Store, reference: string): Promise<readonly OwnedLine[]> {
  const rows = await store.db
    .selectFrom('transfers')
    .select([...lineColumns, 'account_id'])
    .where('reference', '=', reference)
    .orderBy('at')
    .orderBy('kind')
    .execute();
  return rows.map((row) => ({ ...lineOf(row), accountId: row.account_id }));
}

export interface OwnedLine extends LedgerLine {
  readonly accountId: string;
}

export async function ledgerLines(store: Store, filter: LedgerFilter): Promise<readonly LedgerLine[]> {
  const [direction, beyond] = filter.order ? (['asc', '>'] as const) : (['desc', '<'] as const);
  let query = store.db
    .selectFrom('transfers')
    .select(lineColumns)
    .where('account_id', '=', filter.accountId)
    .orderBy('at', direction)
    .orderBy('reference', direction)
    .orderBy('kind', direction)
    .limit(filter.limit);
  if (filter.reference !== undefined) query = query.where('reference', '=', filter.reference);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  if (filter.since !== undefined) query = query.where('at', '>=', filter.since);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (filter.before) {
    const { at, reference, kind } = filter.before;
    query = query.where((line) =>
      line(line.refTuple('at', 'reference', 'kind'), beyond, line.tuple(at, reference, kind as string)),
    );
  }
  const rows = await query.execute();
  return rows.map(lineOf);
}

const lineColumns = [
  'at',
  'kind',
  'reference',
  'key_id',
  'by',
  'reason',
  'price_version',
  moneyText('amount').as('amount'),
] as const;

function lineOf(row: LineRow): LedgerLine {
  return {
    at: row.at,
    kind: row.kind as BookingKind,
    reference: row.reference,
    keyId: row.key_id ?? undefined,
    amount: BigInt(row.amount),
    by: row.by,
    reason: row.reason,
    priceVersion: row.price_version ?? undefined,
  };
}

interface LineRow {
  readonly at: number;
  readonly kind: string;
  readonly reference: string;
  readonly key_id: string | null;
  readonly amount: string;
  readonly by: string;
  readonly reason: string;
  readonly price_version: string | null;
}
