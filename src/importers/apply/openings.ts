import type { Kysely } from 'kysely';
import { moneyText } from '../../billing/ledger/locked-accounts.ts';
import { openingBalance, openingSpend } from '../../billing/ledger/opening-entries.ts';
import type { LimitPeriod } from '../../core/limit.ts';
import { decimalText, type Nano } from '../../core/money.ts';
import { type CapPeriod, calendarSpans, capPeriods } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import type { Database } from '../../store/database.ts';
import type { PlannedAccount, PlannedKey } from '../plan.ts';
import type { ApplyContext } from './context.ts';
import { membersByAccount, type PeriodSpend, reportMissing, spendInPeriods } from './period-spend.ts';
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
  const { plan } = context;
  const byAccount = await keysByAccount(context, tx, subjects);
  const membersOf = membersByAccount(plan.users);
  const balances = new Totals();
  const spend = new Totals();
  for (const account of plan.accounts) {
    const accountId = subjects.accounts.get(account.sourceId);
    const keys = byAccount.get(account.sourceId) ?? [];
    const usable = accountId === undefined ? [] : keys.filter(({ sourceId }) => subjects.keys.has(sourceId));
    for (const key of keys) if (!usable.includes(key)) spend.leaveOut(key.spent);
    if (accountId === undefined) {
      balances.leaveOut(account.balance);
      continue;
    }
    const books = new AccountOpenings(context, tx, { account, accountId });
    const members = membersOf.get(account.sourceId) ?? [];
    const inPeriod = spendInPeriods({ account, members, keys: usable, findings: context.findings });
    const keyIdOf = ({ sourceId }: PlannedKey) => subjects.keys.get(sourceId);
    await books.book(usable.flatMap((key) => books.spendInPeriod(key, keyIdOf(key), inPeriod.get(key.sourceId)) ?? []));
    const wanted = [books.balance(), ...usable.map((key) => books.spendOfKey(key, keyIdOf(key)))];
    const ofPeriods = await books.book([...wanted, ...books.spendWithoutKey(usable, inPeriod)]);
    const booked = [...ofPeriods, ...(await books.book(await books.restOfTotal()))];
    for (const { entry, amount } of booked)
      (entry.kind === 'opening-balance' ? balances : spend).take(entry.amount, amount);
  }
  const present = new Set(plan.accounts.flatMap(({ sourceId }) => byAccount.get(sourceId) ?? []));
  for (const key of plan.keys) if (!present.has(key)) spend.leaveOut(key.spent);
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
      reportMissing(limit, booked, { subject: { kind: 'organisation', sourceId }, name, findings });
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
  /** What shall be booked over all imports. */
  readonly amount: Nano;
  readonly at: number;
  /** Entries before this time do not count. */
  readonly since: number;
}

interface BookedRow {
  readonly kind: string;
  readonly reference: string;
  readonly at: number;
  readonly amount: Nano;
}

/** The entries of one account: what the source has, and what is booked. */
class AccountOpenings {
  readonly #context: ApplyContext;
  readonly #tx: Kysely<Database>;
  readonly #account: PlannedAccount;
  readonly #accountId: string;
  readonly #spans = calendarSpans();
  readonly #now: number;

  constructor(
    context: ApplyContext,
    tx: Kysely<Database>,
    { account, accountId }: { readonly account: PlannedAccount; readonly accountId: string },
  ) {
    this.#context = context;
    this.#tx = tx;
    this.#account = account;
    this.#accountId = accountId;
    this.#now = context.clock.now();
  }

  balance(): Entry {
    const prefix = this.#prefix(`account:${this.#account.sourceId}`);
    return { kind: 'opening-balance', prefix, amount: this.#account.balance, at: this.#now, since: 0 };
  }

  spendOfKey({ sourceId, spent, capPeriod }: PlannedKey, keyId: string | undefined): Entry {
    const place = this.#placeOf(capPeriod ?? 'total');
    return { kind: 'opening-spend', keyId, prefix: this.#prefix(`key:${sourceId}`), amount: spent, ...place };
  }

  /** Its part in the current period. It is booked first: the entry of all spend of the key books the rest. */
  spendInPeriod(key: PlannedKey, keyId: string | undefined, part: PeriodSpend | undefined): Entry | undefined {
    return part && { ...this.spendOfKey(key, keyId), amount: part.amount, ...this.#placeOf(part.period) };
  }

  /** Spend in the periods of the account that none of its keys has, from the shortest to the longest. */
  spendWithoutKey(keys: readonly PlannedKey[], inPeriod: ReadonlyMap<string, PeriodSpend>): readonly Entry[] {
    const { limits, sourceId } = this.#account;
    let counted = 0n;
    return capPeriods.flatMap((period): Entry[] => {
      const limit = limits.find((each) => each.period === period);
      if (!limit) return [];
      const counting = ({ sourceId: id, spent, capPeriod }: PlannedKey) =>
        capPeriod === undefined ? (inPeriod.get(id)?.amount ?? 0n) : spent;
      const ofKeys = keys.reduce((sum, key) => sum + counting(key), 0n);
      if (ofKeys > limit.spent) this.#reportMore(period, ofKeys - limit.spent);
      const rest = limit.spent - ofKeys - counted;
      const amount = rest > 0n ? rest : 0n;
      counted += amount;
      const prefix = this.#prefix(`account:${sourceId}:${period}`);
      return [{ kind: 'opening-spend', prefix, amount, ...this.#placeOf(period) }];
    });
  }

  /** Spend in the total of the account that no other entry has, also none of earlier periods. */
  async restOfTotal(): Promise<readonly Entry[]> {
    const limit = this.#account.limits.find(({ period }) => period === 'total');
    if (!limit) return [];
    const prefix = this.#prefix(`account:${this.#account.sourceId}:total`);
    const entry: Entry = { kind: 'opening-spend', prefix, amount: 0n, ...this.#placeOf('total') };
    const rows = (await this.#read()).filter(({ kind }) => kind === 'opening-spend');
    const own = new Set(ownRows(rows, entry));
    const ofOthers = rows.reduce((sum, row) => (own.has(row) ? sum : sum - row.amount), 0n);
    if (ofOthers > limit.spent) this.#reportMore('total', ofOthers - limit.spent);
    return [{ ...entry, amount: limit.spent > ofOthers ? limit.spent - ofOthers : 0n }];
  }

  #reportMore(period: LimitPeriod, more: Nano): void {
    const subject = { kind: 'account', sourceId: this.#account.sourceId } as const;
    this.#context.findings.add('keys_spent_more', subject, { period, more: decimalText(more) });
  }

  /** Books the difference of each entry to earlier imports. Returns what is booked then, as the store has it. */
  async book(entries: readonly Entry[]): Promise<readonly { readonly entry: Entry; readonly amount: Nano }[]> {
    if (entries.length === 0) return [];
    const earlier = await this.#read();
    const { source, operator } = this.#context;
    for (const entry of entries) {
      const { kind, keyId, prefix, at } = entry;
      const own = ownRows(earlier, entry);
      const amount = entry.amount - bookedOf(own, entry);
      if (amount === 0n) continue;
      const reason = own.length === 0 ? `imported from ${source}` : `changed in ${source} since the last import`;
      const booking = {
        accountId: this.#accountId,
        amount,
        reference: `${prefix}${own.length}`,
        by: operator,
        reason,
        at,
      };
      await (kind === 'opening-balance'
        ? openingBalance(this.#tx, { ...booking, isGranted: true })
        : openingSpend(this.#tx, { ...booking, keyId }));
    }
    const now = await this.#read();
    return entries.map((entry) => ({ entry, amount: bookedOf(ownRows(now, entry), entry) }));
  }

  #prefix(name: string): string {
    return `import:${this.#context.source}:${name}:`;
  }

  /** Spend of a total lies before all current periods, so that it counts in none of them. */
  #placeOf(period: LimitPeriod): { readonly at: number; readonly since: number } {
    const timeZone = this.#account.timeZone ?? defaultTimeZone;
    const spanOf = (each: CapPeriod) => this.#spans({ period: each, timeZone }, this.#now);
    if (period !== 'total') return { at: this.#now, since: spanOf(period).since };
    return { at: Math.min(...capPeriods.map((each) => spanOf(each).since)) - 1, since: 0 };
  }

  async #read(): Promise<readonly BookedRow[]> {
    const rows = await this.#tx
      .selectFrom('transfers')
      .select(['kind', 'reference', 'at', moneyText('amount').as('amount')])
      .where('account_id', '=', this.#accountId)
      .where('kind', 'in', ['opening-balance', 'opening-spend'])
      .execute();
    return rows.map(({ amount, at, ...row }) => ({ ...row, at, amount: BigInt(amount) }));
  }
}

function ownRows(rows: readonly BookedRow[], { kind, prefix }: Entry): readonly BookedRow[] {
  return rows.filter(
    (row) => row.kind === kind && row.reference.startsWith(prefix) && /^\d+$/.test(row.reference.slice(prefix.length)),
  );
}

function bookedOf(rows: readonly BookedRow[], { kind, since }: Entry): Nano {
  const sum = rows.filter(({ at }) => at >= since).reduce((total, { amount }) => total + amount, 0n);
  return kind === 'opening-balance' ? sum : -sum;
}
