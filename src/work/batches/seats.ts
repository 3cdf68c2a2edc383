import type { UnfinishedBatch } from './batch-claims.ts';

/** One of the lines that this process runs at once. */
export interface Seat {
  readonly batchId: string;
  readonly accountId: string;
  /** Among the seats of its batch, from 0. */
  readonly index: number;
}

/**
 * The seats of this process. A free one goes to the account with the fewest running lines in all processes, and there
 * to the batch with the fewest. Of equals, the one whose last turn is longest ago is next.
 */
export class Seats {
  readonly #taken = new Set<Seat>();
  #open: readonly UnfinishedBatch[] = [];
  /** Running lines of other processes, by batch. */
  #elsewhere: ReadonlyMap<string, number> = new Map();
  #max = 0;
  /** Batches without a line that may be claimed now. */
  #empty = new Set<string>();
  /** The number of the last turn of an account or a batch. */
  #turns = new Map<string, number>();
  #turn = 0;
  /** The most seats of accounts whose lines lacked money. */
  readonly #most = new Map<string, number>();

  /** Sets the batches that take turns from now on. */
  open(batches: readonly UnfinishedBatch[], elsewhere: ReadonlyMap<string, number>, max: number): void {
    this.#open = batches;
    this.#elsewhere = elsewhere;
    this.#max = max;
    this.#empty = new Set();
    const names = new Set(batches.flatMap(({ id, account_id: accountId }) => [id, accountId]));
    this.#turns = new Map([...this.#turns].filter(([name]) => names.has(name)));
  }

  get free(): number {
    return Math.max(0, this.#max - this.#taken.size);
  }

  /** Takes a free seat for the next batch. */
  take(): { readonly seat: Seat; readonly batch: UnfinishedBatch; readonly of: number } | undefined {
    if (this.free === 0) return undefined;
    const waiting = this.#waiting;
    const [accountId] = this.#inTurn([...new Set(waiting.map((batch) => batch.account_id))], (id) =>
      this.#runningOf(id),
    );
    const own = waiting.filter((batch) => batch.account_id === accountId);
    const [id] = this.#inTurn(
      own.map((batch) => batch.id),
      (batchId) => this.#runningIn(batchId),
    );
    const batch = own.find((each) => each.id === id);
    if (!batch || accountId === undefined || id === undefined) return undefined;
    this.#turn += 1;
    this.#turns.set(accountId, this.#turn).set(id, this.#turn);
    const indexes = new Set([...this.#taken].flatMap((seat) => (seat.batchId === id ? [seat.index] : [])));
    let index = 0;
    while (indexes.has(index)) index += 1;
    const seat = { batchId: id, accountId, index };
    this.#taken.add(seat);
    return { seat, batch, of: Math.max(index + 1, this.#shareOf(batch)) };
  }

  release(seat: Seat): void {
    this.#taken.delete(seat);
  }

  /** The batch has no further line for now. */
  exhaust(batchId: string): void {
    this.#empty.add(batchId);
  }

  isExhausted(batchId: string): boolean {
    return this.#empty.has(batchId);
  }

  /** The accounts with lines that may be claimed and without a seat. */
  get unseated(): number {
    const accounts = new Set(this.#waiting.map((batch) => batch.account_id));
    for (const { accountId } of this.#taken) accounts.delete(accountId);
    return accounts.size;
  }

  seatsOf(accountId: string): number {
    return [...this.#taken].filter((seat) => seat.accountId === accountId).length;
  }

  /** A line found that other requests hold the money of its account. The account gets no seat beyond its other lines. */
  lacksMoney(accountId: string): void {
    const most = Math.min(this.#most.get(accountId) ?? this.#max, this.seatsOf(accountId));
    this.#most.set(accountId, Math.max(0, most - 1));
  }

  /** A line returned its money: about one other can have it. */
  moneyReturned(accountId: string): void {
    const most = this.#most.get(accountId);
    if (most !== undefined) this.#most.set(accountId, most + 1);
    if (most !== undefined && most >= this.#max) this.#most.delete(accountId);
  }

  /** The account has no money, or nothing holds it any more. */
  endShortage(accountId: string): void {
    this.#most.delete(accountId);
  }

  /** Money may have come that no line returned. So one line of each account tries again now and then. */
  retryShort(): void {
    for (const [accountId, most] of this.#most) this.#most.set(accountId, Math.max(most, 1));
  }

  get #waiting(): readonly UnfinishedBatch[] {
    return this.#open.filter(
      ({ id, account_id: accountId }) =>
        !this.#empty.has(id) && this.seatsOf(accountId) < (this.#most.get(accountId) ?? this.#max),
    );
  }

  #inTurn(names: readonly string[], running: (name: string) => number): readonly string[] {
    const lastTurn = (name: string): number => this.#turns.get(name) ?? 0;
    return names.toSorted((one, other) => running(one) - running(other) || lastTurn(one) - lastTurn(other));
  }

  #runningIn(batchId: string): number {
    const here = [...this.#taken].filter((seat) => seat.batchId === batchId).length;
    return here + (this.#elsewhere.get(batchId) ?? 0);
  }

  #runningOf(accountId: string): number {
    const elsewhere = this.#open.reduce(
      (sum, batch) => (batch.account_id === accountId ? sum + (this.#elsewhere.get(batch.id) ?? 0) : sum),
      0,
    );
    return this.seatsOf(accountId) + elsewhere;
  }

  /** The seats of a batch if all accounts and their batches have equal parts. */
  #shareOf({ account_id: accountId }: UnfinishedBatch): number {
    const accounts = new Set(this.#open.map((batch) => batch.account_id)).size;
    const own = this.#open.filter((batch) => batch.account_id === accountId).length;
    return Math.max(1, Math.floor(this.#max / Math.max(1, accounts) / Math.max(1, own)));
  }
}
