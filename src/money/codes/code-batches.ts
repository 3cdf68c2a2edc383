import { type Selectable, sql } from 'kysely';
import { randomBase62 } from '../accounts/base62.ts';
import { keyDigest, secretId, type SecretParts } from '../../platform/secrets/key-digest.ts';
import { moneyText } from '../billing/ledger/locked-accounts.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Nano } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { codeDisplay, newCode } from './code-format.ts';

/** The value of each code of a batch, and the accounts that may redeem it. */
export interface BatchTerms {
  /** For operators. Customers never see it. */
  readonly note: string;
  readonly amount: Nano;
  /** The kind of the ledger movement: `top_up` for sold codes, `grant` for free ones. */
  readonly kind: 'top_up' | 'grant';
  /** The only site where it can be redeemed. `undefined`: any site. */
  readonly site?: string | undefined;
  /** The only package whose accounts may redeem it. `undefined`: any package. */
  readonly packageName?: string | undefined;
  readonly expiresAt?: number | undefined;
}

export interface CodeBatch extends BatchTerms {
  readonly id: string;
  readonly count: number;
  readonly redeemed: number;
  readonly withdrawn: number;
  readonly createdBy: string;
  readonly createdAt: number;
}

/** For more codes, create another batch. */
export const codesPerBatchMax = 5000;
/** Stays below the parameter limits of both database engines. */
const rowsPerInsert = 500;

/** Creates a batch. The codes are returned only here; the store has only their digests. */
export async function makeBatch(
  { store, clock, pepper }: SecretParts,
  terms: BatchTerms & { readonly count: number; readonly by: string },
): Promise<{ batch: CodeBatch; codes: readonly string[] }> {
  const { count, by } = terms;
  const id = `bat_${randomBase62(16)}`;
  const codes = Array.from({ length: count }, newCode);
  const rows = codes.map((code) => ({
    id: `code_${randomBase62(16)}`,
    batch_id: id,
    digest: keyDigest(pepper, code),
    digest_secret: secretId(pepper),
    display: codeDisplay(code),
    withdrawn_at: null,
    redeemed_at: null,
    account_id: null,
    redeemed_by: null,
  }));
  const row = {
    id,
    note: terms.note,
    amount: terms.amount,
    kind: terms.kind,
    site: terms.site ?? null,
    package: terms.packageName ?? null,
    expires_at: terms.expiresAt ?? null,
    count,
    created_by: by,
    created_at: clock.now(),
  };
  await store.transaction(async (tx) => {
    await tx.insertInto('code_batches').values(row).execute();
    for (let start = 0; start < rows.length; start += rowsPerInsert) {
      const some = rows.slice(start, start + rowsPerInsert);
      await tx.insertInto('redemption_codes').values(some).execute();
    }
  });
  return { batch: batchOf({ ...row, amount: String(row.amount), redeemed: 0, withdrawn: 0 }), codes };
}

export type BatchCursor = readonly [createdAt: number, id: string];

/** All batches, newest first, with the counts of redeemed and withdrawn codes. */
export async function listBatches(
  { db }: Store,
  part: { readonly after?: BatchCursor | undefined; readonly limit: number },
): Promise<readonly CodeBatch[]> {
  let query = batches(db).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(part.limit);
  if (part.after) {
    const [at, id] = part.after;
    query = query.where((batch) => batch(batch.refTuple('created_at', 'id'), '<', batch.tuple(at, id)));
  }
  return (await query.execute()).map(batchOf);
}

export async function findBatch({ db }: Store, id: string): Promise<CodeBatch | undefined> {
  const row = await batches(db).where('id', '=', id).executeTakeFirst();
  return row && batchOf(row);
}

/** The batch of a code, by the id of the code. */
export async function batchOfCode(store: Store, codeId: string): Promise<CodeBatch | undefined> {
  const code = await store.db
    .selectFrom('redemption_codes')
    .select('batch_id')
    .where('id', '=', codeId)
    .executeTakeFirst();
  return code && findBatch(store, code.batch_id);
}

/**
 * Withdraws the codes that are not redeemed. A code that is redeemed at the same time ends up either redeemed or
 * withdrawn.
 */
export async function withdrawRest(store: Store, clock: Clock, id: string): Promise<number> {
  const withdrawn = await store.transaction(
    (tx) =>
      tx
        .updateTable('redemption_codes')
        .set({ withdrawn_at: clock.now() })
        .where('batch_id', '=', id)
        .where('redeemed_at', 'is', null)
        .where('withdrawn_at', 'is', null)
        .executeTakeFirst(),
    { lock: 'codes' },
  );
  return Number(withdrawn.numUpdatedRows);
}

/** A code as stored, without its plain text. */
export type RedemptionCode = Selectable<Database['redemption_codes']>;

/** The codes of a batch: redeemed codes first, the latest on top. */
export async function codesOf(
  { db }: Store,
  batchId: string,
  part: { readonly after?: CodeCursor | undefined; readonly limit: number },
): Promise<readonly RedemptionCode[]> {
  const at = sql<number>`coalesce(redeemed_at, 0)`;
  let query = db
    .selectFrom('redemption_codes')
    .selectAll()
    .where('batch_id', '=', batchId)
    .orderBy(at, 'desc')
    .orderBy('id', 'desc')
    .limit(part.limit);
  if (part.after) {
    const [time, id] = part.after;
    query = query.where((code) => code.or([code(at, '<', time), code.and([code(at, '=', time), code('id', '<', id)])]));
  }
  return query.execute();
}

/** Cursor: the last code of the previous page. `redeemedAt` is 0 if it is not redeemed. */
export type CodeCursor = readonly [redeemedAt: number, id: string];

function batches(db: Store['db']) {
  const counted = (column: 'redeemed_at' | 'withdrawn_at') =>
    sql<number | string>`(select count(*) from redemption_codes as codes
      where codes.batch_id = code_batches.id and ${sql.ref(`codes.${column}`)} is not null)`;
  return db
    .selectFrom('code_batches')
    .select(['id', 'note', 'kind', 'site', 'package', 'expires_at', 'count', 'created_by', 'created_at'])
    .select([
      moneyText('amount').as('amount'),
      counted('redeemed_at').as('redeemed'),
      counted('withdrawn_at').as('withdrawn'),
    ]);
}

type BatchRow = Omit<Selectable<Database['code_batches']>, 'amount'> & {
  readonly amount: string;
  readonly redeemed: number | string;
  readonly withdrawn: number | string;
};

function batchOf(row: BatchRow): CodeBatch {
  return {
    id: row.id,
    note: row.note,
    amount: BigInt(row.amount),
    kind: row.kind,
    site: row.site ?? undefined,
    packageName: row.package ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    count: row.count,
    redeemed: Number(row.redeemed),
    withdrawn: Number(row.withdrawn),
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}
