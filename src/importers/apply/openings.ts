import type { Kysely } from 'kysely';
import { moneyText } from '../../billing/ledger/locked-accounts.ts';
import { openingBalance, openingSpend } from '../../billing/ledger/opening-entries.ts';
import type { Nano } from '../../core/money.ts';
import { calendarSpans } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import type { Database } from '../../store/database.ts';
import type { PlannedAccount, PlannedKey } from '../plan.ts';
import type { ApplyContext } from './context.ts';
import {
  type CurrentSpan,
  currentSpans,
  limitIn,
  reportMissing,
  reportMore,
  type SpendByPeriod,
  spendInPeriods,
} from './period-spend.ts';
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
  await reportOrganisations(context, tx, subjects.organisations);
  return { balances: balances.sum(), spend: spend.sum() };
}

/** An entry belongs to an account, so the spend of accounts that the source has no more cannot be booked. */
async function reportOrganisations(
  { plan, findings, clock }: ApplyContext,
  tx: Kysely<Database>,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const spanOf = calendarSpans();
  for (const { sourceId, name, limits, timeZone = defaultTimeZone } of plan.organisations) {
    const id = ids.get(sourceId);
    if (id === undefined || limits.length === 0) continue;
    const rows = await tx
      .selectFrom('transfers')
      .innerJoin('accounts', 'accounts.id', 'transfers.account_id')
      .select(['at', moneyText('amount').as('amount')])
      .where('organisation_id', '=', id)
      // The condition of the index of the few transfers that are no charges.
      .where('kind', 'not in', ['charge', 'charge-rest'])
      .where('kind', '=', 'opening-spend')
      .execute();
    for (const limit of limits) {
      const { period } = limit;
      const since = period === 'total' ? 0 : spanOf({ period, timeZone }, clock.now()).since;
      const booked = rows.reduce((sum, { at, amount }) => (at >= since ? sum - BigInt(amount) : sum), 0n);
      const subject = { kind: 'organisation', sourceId } as const;
      reportMissing(limit, booked, { subject, name, findings });
      reportMore(limit, booked, subject, findings);
    }
  }
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

interface Entry {
  readonly kind: 'opening-balance' | 'opening-spend';
  readonly keyId?: string | undefined;
  /** The beginning of its references. */
  readonly prefix: string;
  /** What shall be booked over all imports since this time. */
  readonly amount: Nano;
  readonly since: number;
  readonly at: number;
}

interface BookedRow {
  readonly at: number;
  readonly amount: Nano;
}

interface AccountParts {
  readonly account: PlannedAccount;
  readonly accountId: string;
}

/** The entries of one account: what the source has, and what is booked. */
class AccountOpenings {
  readonly #context: ApplyContext;
  readonly #tx: Kysely<Database>;
  readonly #account: PlannedAccount;
  readonly #accountId: string;
  /** From the shortest to the longest. Each books what the shorter ones do not have. */
  readonly #spans: readonly CurrentSpan[];
  readonly #closedUntil: number;
  /** By kind and prefix, in the order of their numbers. */
  readonly #rows: Map<string, BookedRow[]>;
  /** The longest entry of each prefix. */
  readonly #entries = new Map<string, Entry>();

  private constructor(
    context: ApplyContext,
    tx: Kysely<Database>,
    { account, accountId, rows, closedUntil }: AccountParts & BookedSoFar,
  ) {
    this.#context = context;
    this.#tx = tx;
    this.#account = account;
    this.#accountId = accountId;
    this.#spans = currentSpans(context.clock.now(), account.timeZone);
    this.#rows = rows;
    this.#closedUntil = closedUntil;
  }

  static async read(context: ApplyContext, tx: Kysely<Database>, parts: AccountParts): Promise<AccountOpenings> {
    return new AccountOpenings(context, tx, { ...parts, ...(await bookedSoFar(tx, parts.accountId)) });
  }

  bookBalance(): Promise<void> {
    const prefix = this.#prefix(`account:${this.#account.sourceId}`);
    const at = this.#context.clock.now();
    return this.#book({ kind: 'opening-balance', prefix, amount: this.#account.balance, since: 0, at });
  }

  async bookKey(key: PlannedKey, keyId: string | undefined, inPeriods: SpendByPeriod): Promise<void> {
    const entry = { kind: 'opening-spend', keyId, prefix: this.#prefix(`key:${key.sourceId}`) } as const;
    for (const { periods, since, at } of this.#spans) {
      const amount = periods.map((period) => inPeriods.get(period)).find((each) => each !== undefined);
      if (amount !== undefined) await this.#book({ ...entry, amount, since, at });
    }
    if (key.capPeriod === undefined) await this.#book({ ...entry, amount: key.spent, ...this.#beforePeriods });
  }

  /** Books spend in the limits of the account that none of its keys has. */
  async bookRest(): Promise<void> {
    const { limits, sourceId } = this.#account;
    const prefix = this.#restPrefix;
    const total = limits.find(({ period }) => period === 'total');
    const places = this.#spans.map(({ periods, since, at }) => ({ limit: limitIn(limits, periods), since, at }));
    let amount = 0n;
    for (const { limit, since, at } of [...places, { limit: total, ...this.#beforePeriods }]) {
      if (!limit) continue;
      const entry: Entry = { kind: 'opening-spend', prefix, amount, since, at };
      const all = [...this.#rows].filter(([name]) => name.startsWith(entry.kind)).flatMap(([, rows]) => rows);
      const ofOthers = bookedIn(all, entry) - this.#bookedOf(entry);
      reportMore(limit, ofOthers, { kind: 'account', sourceId }, this.#context.findings);
      if (limit.spent - ofOthers > amount) amount = limit.spent - ofOthers;
      await this.#book({ ...entry, amount });
    }
  }

  /** The store's amount for each entry. The rest of a limit includes the spend of keys that the source has no more. */
  async booked(): Promise<readonly { readonly entry: Entry; readonly booked: Nano }[]> {
    const { rows } = await bookedSoFar(this.#tx, this.#accountId);
    const gone = [...rows].filter(([name]) => name.startsWith('opening-spend') && !this.#entries.has(name));
    return [...this.#entries].map(([name, entry]) => {
      const booked = bookedIn(rows.get(name) ?? [], entry);
      if (entry.prefix !== this.#restPrefix) return { entry, booked };
      const ofGone = bookedIn(
        gone.flatMap(([, own]) => own),
        entry,
      );
      return { entry: { ...entry, amount: entry.amount + ofGone }, booked: booked + ofGone };
    });
  }

  get #restPrefix(): string {
    return this.#prefix(`account:${this.#account.sourceId}:rest`);
  }

  /** Spend of a total lies here, so that it counts in no current period. */
  get #beforePeriods(): Pick<Entry, 'since' | 'at'> {
    return { since: 0, at: (this.#spans.at(-1)?.since ?? 0) - 1 };
  }

  /** Books the difference to earlier imports. */
  async #book(entry: Entry): Promise<void> {
    const { kind, keyId, prefix } = entry;
    const name = rowsName(kind, prefix);
    this.#entries.set(name, entry);
    const amount = entry.amount - this.#bookedOf(entry);
    // Spend that was booked after the end of a closed month cannot be moved back into it.
    if (amount === 0n || (amount < 0n && entry.since > 0 && entry.since <= this.#closedUntil)) return;
    const { source, operator } = this.#context;
    const rows = this.#rows.get(name) ?? [];
    const reason = rows.length === 0 ? `imported from ${source}` : `changed in ${source} since the last import`;
    const at = Math.max(entry.at, this.#closedUntil);
    const terms = { accountId: this.#accountId, amount, reference: prefix + rows.length, by: operator, reason, at };
    if (kind === 'opening-balance') await openingBalance(this.#tx, { ...terms, isGranted: true });
    else await openingSpend(this.#tx, { ...terms, keyId });
    this.#rows.set(name, [...rows, { at, amount: kind === 'opening-balance' ? amount : -amount }]);
  }

  #bookedOf(entry: Entry): Nano {
    return bookedIn(this.#rows.get(rowsName(entry.kind, entry.prefix)) ?? [], entry);
  }

  #prefix(name: string): string {
    return `import:${this.#context.source}:${name}:`;
  }
}

interface BookedSoFar {
  readonly rows: Map<string, BookedRow[]>;
  /** Nothing is booked before it. */
  readonly closedUntil: number;
}

async function bookedSoFar(tx: Kysely<Database>, accountId: string): Promise<BookedSoFar> {
  const transfers = await tx
    .selectFrom('transfers')
    .select(['kind', 'reference', 'at', moneyText('amount').as('amount')])
    .where('account_id', '=', accountId)
    .where('kind', 'in', ['opening-balance', 'opening-spend'])
    .execute();
  const rows = Map.groupBy(
    transfers.map(({ amount, ...row }) => ({ ...row, amount: BigInt(amount) })),
    ({ kind, reference }) => rowsName(kind, reference.replace(/\d+$/, '')),
  );
  const balance = tx.selectFrom('balances').select('closed_until').where('account_id', '=', accountId);
  return { rows, closedUntil: (await balance.executeTakeFirst())?.closed_until ?? 0 };
}

function rowsName(kind: string, prefix: string): string {
  return `${kind} ${prefix}`;
}

function bookedIn(rows: readonly BookedRow[], { kind, since }: Entry): Nano {
  const sum = rows.filter(({ at }) => at >= since).reduce((total, { amount }) => total + amount, 0n);
  return kind === 'opening-balance' ? sum : -sum;
}
