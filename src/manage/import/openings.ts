import type { Kysely } from 'kysely';
import { moneyText } from '../../money/billing/ledger/locked-accounts.ts';
import type { Nano } from '../../core/money.ts';
import { calendarSpans } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import type { Database } from '../../platform/store/database.ts';
import type { PlannedKey, PlannedOrganisation } from 'chat-gateway-import/plan.ts';
import { AccountOpenings, bookedIn, type BookedEntry, type BookedRow } from './account-openings.ts';
import type { ApplyContext } from './context.ts';
import { reportMissing, reportMore, spendInPeriods } from './period-spend.ts';
import type { ImportSum } from './sums.ts';

interface Subjects {
  readonly organisations: ReadonlyMap<string, string>;
  readonly accounts: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, string>;
}

/** Amounts of the source and what is booked for them. Both must be equal, apart from what was left out. */
export interface OpeningSums {
  readonly balances: ImportSum;
  readonly spend: ImportSum;
}

/**
 * Books the difference between the balances and spend of the source and what earlier imports booked for them. Spend of a
 * period counts if it lies in the current one: the source and the gateway begin periods at the same time.
 */
export async function bookOpenings(
  context: ApplyContext,
  tx: Kysely<Database>,
  subjects: Subjects,
): Promise<OpeningSums> {
  const { plan, clock, findings } = context;
  const byAccount = await keysByAccount(context, tx, subjects);
  const isUsable = ({ sourceId }: PlannedKey) => subjects.keys.has(sourceId);
  const present = plan.accounts.filter(({ sourceId }) => subjects.accounts.has(sourceId));
  const keysOf = new Map(present.map(({ sourceId }) => [sourceId, (byAccount.get(sourceId) ?? []).filter(isUsable)]));
  const inPeriods = spendInPeriods({ plan, keysOf, findings, now: clock.now() });
  const balances = new Totals();
  const spend = new Totals();
  for (const account of plan.accounts) {
    const accountId = subjects.accounts.get(account.sourceId);
    if (accountId === undefined) {
      balances.leaveOut(account.balance);
      continue;
    }
    const books = await AccountOpenings.read(context, tx, { account, accountId });
    await books.bookBalance();
    for (const key of keysOf.get(account.sourceId) ?? []) {
      await books.bookKey(key, subjects.keys.get(key.sourceId), inPeriods.get(key.sourceId) ?? new Map());
    }
    await books.bookRest();
    for (const { entry, booked } of await books.booked())
      (entry.kind === 'opening-balance' ? balances : spend).take(entry.amount, booked);
  }
  const counted = new Set([...keysOf.values()].flat());
  for (const key of plan.keys) if (!counted.has(key)) spend.leaveOut(key.spent);
  for (const organisation of plan.organisations) {
    const entries = await bookOrganisation(organisation, { context, tx, subjects });
    for (const { entry, booked } of entries) spend.take(entry.amount, booked);
  }
  return { balances: balances.sum(), spend: spend.sum() };
}

/** Books spend in the limits of an organisation that none of its accounts has, if one of them takes it. Reports it else. */
async function bookOrganisation(
  organisation: PlannedOrganisation,
  { context, tx, subjects }: OrganisationParts,
): Promise<readonly BookedEntry[]> {
  const { plan, findings, clock } = context;
  const { sourceId, name, limits, restAccount, timeZone = defaultTimeZone } = organisation;
  const id = subjects.organisations.get(sourceId);
  if (id === undefined || limits.length === 0) return [];
  const account = plan.accounts.find((each) => each.sourceId === restAccount);
  const accountId = subjects.accounts.get(restAccount ?? '');
  const books = account && accountId && (await AccountOpenings.read(context, tx, { account, accountId }));
  if (books) await books.bookOrganisation(organisation, await spendOfOrganisation(tx, id));
  const spanOf = calendarSpans();
  const rows = await spendOfOrganisation(tx, id);
  for (const limit of limits) {
    const { period } = limit;
    const since = period === 'total' ? 0 : spanOf({ period, timeZone }, clock.now()).since;
    const booked = bookedIn(rows, { kind: 'opening-spend', since });
    const subject = { kind: 'organisation', sourceId } as const;
    reportMissing(limit, booked, { subject, name, findings });
    reportMore(limit, booked, subject, findings);
  }
  return books ? books.booked() : [];
}

interface OrganisationParts {
  readonly context: ApplyContext;
  readonly tx: Kysely<Database>;
  readonly subjects: Subjects;
}

async function spendOfOrganisation(tx: Kysely<Database>, id: string): Promise<readonly BookedRow[]> {
  const rows = await tx
    .selectFrom('transfers')
    .innerJoin('accounts', 'accounts.id', 'transfers.account_id')
    .select(['at', moneyText('amount').as('amount')])
    .where('organisation_id', '=', id)
    // The condition of the index of the few transfers that are no charges.
    .where('kind', 'not in', ['charge', 'charge-rest'])
    .where('kind', '=', 'opening-spend')
    .execute();
  return rows.map(({ at, amount }) => ({ at, amount: BigInt(amount) }));
}

/** The keys of each account of the plan. A key that moved in the source still belongs to its old account here. */
async function keysByAccount(
  { plan, source }: ApplyContext,
  tx: Kysely<Database>,
  subjects: Subjects,
): Promise<ReadonlyMap<string, readonly PlannedKey[]>> {
  const rows = await tx
    .selectFrom('import_sources')
    .innerJoin('api_keys', 'api_keys.id', 'import_sources.subject_id')
    .select(['source_id', 'account_id'])
    .where('import_sources.source', '=', source)
    .where('kind', '=', 'key')
    .execute();
  const planned = new Map([...subjects.accounts].map(([sourceId, id]) => [id, sourceId]));
  const accountOf = new Map(rows.map((row) => [row.source_id, planned.get(row.account_id)]));
  return Map.groupBy(plan.keys, ({ sourceId, account }) => accountOf.get(sourceId) ?? account);
}

class Totals {
  #source = 0n;
  #leftOut = 0n;
  #booked = 0n;

  take(amount: Nano, booked: Nano): void {
    this.#source += amount;
    this.#booked += booked;
  }

  leaveOut(amount: Nano): void {
    this.#source += amount;
    this.#leftOut += amount;
  }

  sum(): ImportSum {
    return { source: this.#source, leftOut: this.#leftOut, booked: this.#booked };
  }
}
