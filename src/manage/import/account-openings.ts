import type { Kysely } from 'kysely';
import { moneyText } from '../../money/billing/ledger/locked-accounts.ts';
import { openingBalance, openingSpend } from '../../money/billing/opening-entries.ts';
import type { Nano } from '../../core/money.ts';
import type { Database } from '../../platform/store/database.ts';
import type { FindingSubject } from 'chat-gateway-import/findings.ts';
import type { PlannedAccount, PlannedKey, PlannedLimit, PlannedOrganisation } from 'chat-gateway-import/plan.ts';
import type { ApplyContext } from './context.ts';
import { type CurrentSpan, currentSpans, limitIn, reportMore, type SpendByPeriod } from './period-spend.ts';

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

export interface BookedEntry {
  readonly entry: Entry;
  readonly booked: Nano;
}

export interface BookedRow {
  readonly at: number;
  readonly amount: Nano;
}

interface AccountParts {
  readonly account: PlannedAccount;
  readonly accountId: string;
}

/** The entries of one account: what the source has, and what is booked. */
export class AccountOpenings {
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
    if (key.capPeriod === undefined || key.spentInPeriod !== undefined)
      await this.#book({ ...entry, amount: key.spent, ...this.#beforePeriods });
  }

  /** Books spend in the limits of the account that none of its keys has. */
  bookRest(): Promise<void> {
    const { limits, sourceId } = this.#account;
    const all = [...this.#rows].filter(([name]) => name.startsWith('opening-spend')).flatMap(([, rows]) => rows);
    return this.#bookLimits(limits, all, { prefix: this.#restPrefix, subject: { kind: 'account', sourceId } });
  }

  /** Books spend in the limits of its organisation that no account has. `all`: the spend of all accounts. */
  bookOrganisation({ limits, sourceId }: PlannedOrganisation, all: readonly BookedRow[]): Promise<void> {
    const prefix = this.#prefix(`organisation:${sourceId}:rest`);
    return this.#bookLimits(limits, all, { prefix, subject: { kind: 'organisation', sourceId } });
  }

  async #bookLimits(
    limits: readonly PlannedLimit[],
    all: readonly BookedRow[],
    { prefix, subject }: { readonly prefix: string; readonly subject: FindingSubject },
  ): Promise<void> {
    const total = limits.find(({ period }) => period === 'total');
    const places = this.#spans.map(({ periods, since, at }) => ({ limit: limitIn(limits, periods), since, at }));
    const own = this.#rows.get(rowsName('opening-spend', prefix)) ?? [];
    const gone = subject.kind === 'account' ? this.#goneKeys() : [];
    let [amount, ofGone] = [0n, 0n];
    for (const { limit, since, at } of [...places, { limit: total, ...this.#beforePeriods }]) {
      if (!limit) continue;
      const entry: Entry = { kind: 'opening-spend', prefix, amount, since, at };
      const ofOthers = bookedIn(all, entry) - bookedIn(own, entry);
      const [rest, least] = [limit.spent - ofOthers, amount - (bookedIn(gone, entry) - ofGone)];
      ofGone = bookedIn(gone, entry);
      amount = rest > least ? rest : least;
      if (subject.kind === 'account')
        reportMore(limit, amount < 0n ? ofOthers + amount : ofOthers, subject, this.#context.findings);
      await this.#book({ ...entry, amount });
    }
  }

  /**
   * The spend of keys that the source has no more. A limit may count less than it and the other keys: a key that was
   * rotated can have another id, and has brought its spend along.
   */
  #goneKeys(): readonly BookedRow[] {
    const ofKeys = rowsName('opening-spend', `import:${this.#context.source}:key:`);
    return [...this.#rows].flatMap(([name, rows]) => (name.startsWith(ofKeys) && !this.#entries.has(name) ? rows : []));
  }

  /** The store's amount for each entry. The rest of a limit includes the spend of keys that the source has no more. */
  async booked(): Promise<readonly BookedEntry[]> {
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

export function bookedIn(rows: readonly BookedRow[], { kind, since }: Pick<Entry, 'kind' | 'since'>): Nano {
  const sum = rows.filter(({ at }) => at >= since).reduce((total, { amount }) => total + amount, 0n);
  return kind === 'opening-balance' ? sum : -sum;
}
