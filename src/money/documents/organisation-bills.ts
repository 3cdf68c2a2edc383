import type { Kysely } from 'kysely';
import { shownName } from '../accounts/accounts.ts';
import { findOrganisation } from '../accounts/organisations.ts';
import { isMonth, type Month, monthEnd } from '../billing/ledger/months.ts';
import { graceMs, listStatements, type MonthlyStatement } from '../billing/ledger/statements.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import { decimalText, type Nano, nanoFrom } from '../../core/money.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import type { BilledAccount, BillingDocument, Seller } from './billing-document.ts';
import { documents, fromRow } from './documents.ts';
import { issueDocument, taxLine } from './issue-document.ts';

interface BillParts {
  readonly store: Store;
  readonly clock: Clock;
  seller(): Seller | undefined;
  currency(): string;
}

/** One month of an organisation: a line for each of its accounts, from the monthly statement of the account. */
export interface OrganisationBill {
  readonly month: Month;
  /** Number of its document. `undefined`: the month is still open. */
  readonly number: string | undefined;
  readonly lines: readonly BilledAccount[];
}

const billsMax = 60;

/** The bills of an organisation, newest first. Bills of months that are over become documents, which never change. */
export async function listBills(parts: BillParts, organisationId: string): Promise<readonly OrganisationBill[]> {
  const issued = await issuedBills(parts.store.db, organisationId);
  const found = await unissuedMonths(parts, organisationId, new Set(issued.map(({ reference }) => reference)));
  const due = found.filter(({ isOver }) => isOver).toReversed();
  if (due.length > 0) {
    await parts.store.transaction(async (tx) => {
      for (const bill of due) await issueBill(parts, tx, { ...bill, organisationId });
    });
  }
  const documentsNow = due.length > 0 ? await issuedBills(parts.store.db, organisationId) : issued;
  const open = found.filter(({ isOver }) => !isOver).map(({ month, lines }) => ({ month, lines, number: undefined }));
  return [...open, ...documentsNow.map(billOf)].slice(0, billsMax);
}

export async function findBill(
  parts: BillParts,
  { organisationId, month }: { readonly organisationId: string; readonly month: Month },
): Promise<OrganisationBill | undefined> {
  if (!isMonth(month)) return undefined;
  return (await listBills(parts, organisationId)).find((bill) => bill.month === month);
}

/** The sums of a bill. Charges are negative, as in the statements. */
export function billTotals(
  lines: readonly BilledAccount[],
): Record<'opening' | 'credits' | 'charges' | 'closing', Nano> {
  const sum = (name: 'opening' | 'credits' | 'charges' | 'closing') =>
    lines.reduce((total, line) => total + nanoFrom(line[name]), 0n);
  return { opening: sum('opening'), credits: sum('credits'), charges: sum('charges'), closing: sum('closing') };
}

interface UnissuedMonth {
  readonly month: Month;
  readonly lines: readonly BilledAccount[];
  /** Every account has closed the month. */
  readonly isOver: boolean;
}

/** Newest first. */
async function unissuedMonths(
  { store, clock }: BillParts,
  organisationId: string,
  issued: ReadonlySet<Month>,
): Promise<readonly UnissuedMonth[]> {
  const stays = await staysIn(store.db, organisationId);
  const months = new Map<Month, { lines: BilledAccount[]; isOver: boolean }>();
  for (const stay of stays) {
    for (const statement of await listStatements(store, clock, stay.accountId)) {
      if (issued.has(statement.month) || !isWithin(stay, statement)) continue;
      const known = months.get(statement.month) ?? { lines: [], isOver: true };
      known.lines.push(lineOf(stay, statement));
      known.isOver &&= statement.isClosed;
      months.set(statement.month, known);
    }
  }
  // An account without a statement so far may still get one for a month that is not over in its time zone.
  const isOverFor = (month: Month) => stays.every(({ timeZone }) => monthEnd(month, timeZone) + graceMs <= clock.now());
  return [...months]
    .map(([month, { lines, isOver }]) => ({ month, lines, isOver: isOver && isOverFor(month) }))
    .toSorted((one, other) => (one.month < other.month ? 1 : -1));
}

/** The time of an account in the organisation. */
interface Stay {
  readonly accountId: string;
  readonly name: string;
  readonly timeZone: string;
  readonly joinedAt: number;
  /** `undefined`: it still belongs to the organisation. */
  readonly leftAt: number | undefined;
}

/** A month belongs to the organisation that the account belonged to at its end. */
function isWithin({ joinedAt, leftAt }: Stay, { to }: MonthlyStatement): boolean {
  return joinedAt < to && (leftAt === undefined || leftAt >= to);
}

async function staysIn(db: Kysely<Database>, organisationId: string): Promise<readonly Stay[]> {
  const current = await db
    .selectFrom('accounts')
    .select(['id', shownName, 'time_zone', 'created_at', 'organisation_since'])
    .where('organisation_id', '=', organisationId)
    .execute();
  const former = await db
    .selectFrom('organisation_departures')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['accounts.id', shownName, 'time_zone', 'joined_at', 'left_at'])
    .where('organisation_departures.organisation_id', '=', organisationId)
    .execute();
  const stays: Stay[] = [
    ...current.map(({ id, name, time_zone: zone, created_at: createdAt, organisation_since: since }) => ({
      accountId: id,
      name,
      timeZone: zone ?? defaultTimeZone,
      joinedAt: since ?? createdAt,
      leftAt: undefined,
    })),
    ...former.map(({ id, name, time_zone: zone, joined_at: joinedAt, left_at: leftAt }) => ({
      accountId: id,
      name,
      timeZone: zone ?? defaultTimeZone,
      joinedAt,
      leftAt,
    })),
  ];
  return stays.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function lineOf({ accountId, name }: Stay, { opening, closing, sums }: MonthlyStatement): BilledAccount {
  return {
    accountId,
    name,
    opening: decimalText(opening),
    credits: decimalText(closing - opening - sums.charges),
    charges: decimalText(sums.charges),
    closing: decimalText(closing),
  };
}

async function issueBill(
  parts: BillParts,
  tx: Parameters<typeof issueDocument>[0]['tx'],
  { organisationId, month, lines }: UnissuedMonth & { readonly organisationId: string },
): Promise<void> {
  const organisation = await findOrganisation(tx, organisationId);
  if (!organisation) return;
  const currency = parts.currency();
  const seller = parts.seller();
  const amount = -billTotals(lines).charges;
  const tax = amount > 0n ? taxLine(seller, 'statements', { amount, currency }) : undefined;
  await issueDocument(
    { tx, clock: parts.clock, seller },
    {
      kind: 'bill',
      organisationId,
      reference: month,
      amount,
      currency,
      tax,
      subject: { billed: month, accounts: lines },
    },
  );
}

async function issuedBills(db: Kysely<Database>, organisationId: string): Promise<readonly BillingDocument[]> {
  const rows = await documents(db)
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', 'bill')
    .orderBy('reference', 'desc')
    .limit(billsMax)
    .execute();
  return rows.map(fromRow);
}

function billOf({ number, reference, subject }: BillingDocument): OrganisationBill {
  return { number, month: reference, lines: 'billed' in subject ? subject.accounts : [] };
}
