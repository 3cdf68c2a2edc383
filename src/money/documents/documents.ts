import { type Kysely, sql } from 'kysely';
import { moneyText } from '../billing/ledger/locked-accounts.ts';
import { listStatements, type MonthlyStatement } from '../billing/ledger/statements.ts';
import { decimalText } from '../../core/money.ts';
import type { Clock } from '../../core/time/clock.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { type BillingDocument, creditSums, type DocumentContent, type Seller } from './billing-document.ts';
import { issueDocument, type Issuing, taxLine } from './issue-document.ts';
import { issueEarlierReceipts, lacksReceipt } from './payment-documents.ts';

/** The parts that issue the documents that an account lacks. */
interface DocumentParts {
  readonly store: Store;
  readonly clock: Clock;
  seller(): Seller | undefined;
  currency(): string;
}

/**
 * Issues the documents that the account lacks, oldest first: the statements of closed months with a movement, and the
 * receipts of payments that an earlier version booked.
 */
export async function issueMissing(parts: DocumentParts, accountId: string): Promise<void> {
  const { store, clock } = parts;
  const issue = (work: (issuing: Issuing) => Promise<void>) =>
    store.transaction((tx) => work({ tx, clock, seller: parts.seller() }));
  if (await lacksReceipt({ tx: store.db as Issuing['tx'] }, accountId)) await issue(issueEarlierReceipts);
  const issued = await issuedMonths(store.db, accountId);
  const closed = (await listStatements(store, clock, accountId)).filter(({ isClosed }) => isClosed);
  const due = closed.filter((each) => !issued.has(each.month) && hasMovement(each)).toReversed();
  if (due.length === 0) return;
  await issue(async (issuing) => {
    for (const month of due) await issueStatement(issuing, { accountId, month, currency: parts.currency() });
  });
}

/** The position of a document in a list, newest first. */
type DocumentPosition = readonly [issuedAt: number, number: string];

export async function listDocuments(
  { db }: Pick<Store, 'db'>,
  part: { readonly accountId: string; readonly before?: DocumentPosition | undefined; readonly limit: number },
): Promise<readonly BillingDocument[]> {
  const { accountId, before, limit } = part;
  let query = documents(db).where('account_id', '=', accountId);
  if (before) {
    const [at, number] = before;
    query = query.where(sql<boolean>`(issued_at < ${at} or (issued_at = ${at} and number < ${number}))`);
  }
  const rows = await query.orderBy('issued_at', 'desc').orderBy('number', 'desc').limit(limit).execute();
  return rows.map(fromRow);
}

export async function findDocument({ db }: Pick<Store, 'db'>, number: string): Promise<BillingDocument | undefined> {
  const row = await documents(db).where('number', '=', number).executeTakeFirst();
  return row && fromRow(row);
}

export async function findStatementDocument(
  { db }: Pick<Store, 'db'>,
  { accountId, month }: { readonly accountId: string; readonly month: string },
): Promise<BillingDocument | undefined> {
  const all = documents(db).where('account_id', '=', accountId);
  const row = await all.where('kind', '=', 'statement').where('reference', '=', month).executeTakeFirst();
  return row && fromRow(row);
}

/** The numbers of the documents of ledger entries, by kind and reference of the entry. */
export async function numbersOf(
  { db }: Pick<Store, 'db'>,
  lines: readonly { readonly kind: string; readonly reference: string }[],
): Promise<(line: { readonly kind: string; readonly reference: string }) => string | undefined> {
  const references = lines.filter(({ kind }) => kind in documentKinds).map(({ reference }) => reference);
  if (references.length === 0) return () => undefined;
  const rows = await db
    .selectFrom('billing_documents')
    .select(['number', 'kind', 'reference'])
    .where('reference', 'in', references)
    .execute();
  const numbers = new Map(rows.map(({ number, kind, reference }) => [`${kind} ${reference}`, number]));
  return ({ kind, reference }) => numbers.get(`${documentKinds[kind] ?? ''} ${reference}`);
}

const documentKinds: Readonly<Record<string, BillingDocument['kind']>> = {
  top_up: 'receipt',
  reversal: 'credit_note',
};

async function issuedMonths(db: Kysely<Database>, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('billing_documents')
    .select('reference')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'statement')
    .execute();
  return new Set(rows.map(({ reference }) => reference));
}

function hasMovement({ sums }: MonthlyStatement): boolean {
  return sums.charges !== 0n || creditSums.some((kind) => sums[kind] !== 0n);
}

async function issueStatement(
  issuing: Issuing,
  order: { readonly accountId: string; readonly month: MonthlyStatement; readonly currency: string },
): Promise<void> {
  const { accountId, currency } = order;
  const { month, timeZone, from, to, opening, closing, sums } = order.month;
  const amount = -sums.charges;
  const credits = creditSums
    .filter((kind) => sums[kind] !== 0n)
    .map((kind) => ({ kind, amount: decimalText(sums[kind]) }));
  const models = sums.models.map((each) => ({ model: each.model, amount: decimalText(each.amount) }));
  const money = { opening: decimalText(opening), closing: decimalText(closing), charges: decimalText(sums.charges) };
  const subject = { month, timeZone, from, to, ...money, credits, models };
  const tax = amount > 0n ? taxLine(issuing.seller, 'statements', { amount, currency }) : undefined;
  await issueDocument(issuing, { kind: 'statement', accountId, reference: month, amount, currency, tax, subject });
}

export function documents(db: Kysely<Database>) {
  return db
    .selectFrom('billing_documents')
    .select(['number', 'kind', 'account_id', 'organisation_id', 'reference', 'currency', 'content', 'issued_at'])
    .select(moneyText('amount').as('amount'));
}

type DocumentRow = Awaited<ReturnType<ReturnType<typeof documents>['execute']>>[number];

export function fromRow({
  account_id: accountId,
  organisation_id: organisationId,
  issued_at: issuedAt,
  content,
  amount,
  ...row
}: DocumentRow): BillingDocument {
  const owner = { accountId: accountId ?? undefined, organisationId: organisationId ?? undefined };
  return { ...row, ...owner, issuedAt, amount: BigInt(amount), ...(ownJson(content) as DocumentContent) };
}
