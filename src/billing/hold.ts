import { assert } from '../core/assert.ts';
import type { KeyCap } from '../core/caller.ts';
import type { Nano } from '../core/money.ts';
import type { Deadline } from '../core/deadline.ts';
import type { AccountLease } from './account-lease.ts';
import type { Settlement } from './charging.ts';

/** Whose money is held, and for which request. */
export interface HoldName {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly priceVersion: string;
  /** What the key may spend; no cap of its own if not said. */
  readonly cap?: KeyCap | undefined;
}

/** Money set aside for one request. It is posted or voided, once; whatever comes second changes nothing. */
export interface Hold {
  readonly amount: Nano;
  /** From now on a crash of this process is charged up to what this says at the last checkpoint. */
  watch(costSoFar: () => Nano): void;
  /**
   * Hears, once, that the money is gone: this process was taken for dead and others spent it meanwhile. The request must
   * end with that error, and be posted with what it cost until then.
   */
  whenLost(tell: (error: Error) => void): void;
  /**
   * Sets aside more, so that the request may cost up to the amount. Where there is not so much it refuses as holding
   * does, with the same deadline, and what was set aside before stays.
   */
  widen(amount: Nano, deadline?: Deadline): Promise<void>;
  /** What it costs from now on follows another price than it began with. */
  reprice(priceVersion: string): void;
  /**
   * Charges what the request cost. Resolves when that is durable; rejects when not all of it could be charged. The ledger's
   * line says why, where that is more than that there was a request.
   */
  post(cost: Nano, reason?: string): Promise<void>;
  /** The request cost nothing. */
  void(): void;
}

export interface HoldParts {
  readonly at: number;
  /** From what its key has set aside it is paid too, where the key has a cap. */
  readonly capLease?: () => Settlement['capLease'];
  /** Charges; the last argument is called as soon as the store has it, which may be long after it is durable. */
  settle(charge: Settlement, booked: () => void): Promise<void>;
  /** The request is over: what it did not spend of its cover is free. */
  over(hold: OpenHold, cover: Cover, spent: Nano, cost: Nano): void;
  /** Has more promised to it, by `grow`. */
  more(hold: OpenHold, amount: Nano, deadline: Deadline | undefined): Promise<void>;
}

/** Where the money of a hold is. */
export interface Cover {
  readonly accountLease: AccountLease;
  /** How much of that account lease is promised to this request. */
  readonly share: Nano;
}

export class OpenHold implements Hold {
  readonly #parts: HoldParts;
  #name: HoldName;
  #amount: Nano;
  /** The store may have a checkpoint of it. */
  isNoted = false;
  /** What the last checkpoint said. */
  notedCost: Nano = 0n;
  /** What recovery has charged for it, when this process was taken for dead. */
  chargedBefore: Nano = 0n;
  #cover: Cover;
  #ending: Promise<void> | undefined;
  #isOver = false;
  #costSoFar: (() => Nano) | undefined;
  #tellLost: ((error: Error) => void) | undefined;
  #lost: Error | undefined;

  constructor(name: HoldName, amount: Nano, accountLease: AccountLease, parts: HoldParts) {
    this.#name = name;
    this.#amount = amount;
    this.#parts = parts;
    this.#cover = { accountLease, share: amount };
  }

  get name(): HoldName {
    return this.#name;
  }

  get amount(): Nano {
    return this.#amount;
  }

  /** When its money was set aside: the moment that decides in which span a renewing cap pays for it. */
  get at(): number {
    return this.#parts.at;
  }

  /** Whether the request is neither posted nor voided. */
  get isRunning(): boolean {
    return this.#ending === undefined;
  }

  get costSoFar(): Nano {
    return this.#ending ? 0n : (this.#costSoFar?.() ?? 0n);
  }

  watch(costSoFar: () => Nano): void {
    this.#costSoFar = costSoFar;
  }

  whenLost(tell: (error: Error) => void): void {
    this.#tellLost = tell;
    if (this.#lost) tell(this.#lost);
  }

  /** The account lease it was paid from is closed, and another has its money now. */
  moveTo(accountLease: AccountLease, share: Nano): void {
    assert(this.#cover.accountLease.isClosed, 'a hold is in one account lease at a time');
    this.#cover = { accountLease, share };
  }

  async widen(amount: Nano, deadline?: Deadline): Promise<void> {
    if (amount > this.#amount) await this.#parts.more(this, amount - this.#amount, deadline);
  }

  /** More of its account lease is promised to it. False if it is over by now, or its money is gone or elsewhere. */
  grow(accountLease: AccountLease, more: Nano): boolean {
    const { accountLease: before, share } = this.#cover;
    if (!this.isRunning || this.#lost || (share > 0n && before !== accountLease)) return false;
    this.#cover = { accountLease, share: share + more };
    this.#amount += more;
    return true;
  }

  reprice(priceVersion: string): void {
    assert(this.isRunning, 'what is charged keeps its price');
    this.#name = { ...this.#name, priceVersion };
  }

  lose(error: Error): void {
    if (this.#ending || this.#lost) return;
    this.#lost = error;
    this.#tellLost?.(error);
  }

  post(cost: Nano, reason?: string): Promise<void> {
    this.#ending ??= this.#post(cost, reason);
    return this.#ending;
  }

  void(): void {
    this.#ending ??= this.#post(0n);
    // Nobody waits for it: that it cost nothing is known without the store.
    this.#ending.catch(() => undefined);
  }

  async #post(cost: Nano, reason?: string): Promise<void> {
    const cover = this.#cover;
    if (cost === 0n) return this.#cancel(cover);
    const spent = spentOf(cover.share, cost - this.chargedBefore);
    const booked = (): void => {
      this.#over(cover, spent, cost);
      cover.accountLease.booked(spent);
    };
    try {
      await this.#parts.settle(this.#charge(cost, cover, reason), booked);
    } finally {
      this.#over(cover, spent, cost);
    }
  }

  /** A checkpoint that was noted must go too, or recovery would charge it. */
  async #cancel(cover: Cover): Promise<void> {
    this.#over(cover, 0n, 0n);
    if (this.isNoted) await this.#parts.settle(this.#charge(0n, cover), () => {});
  }

  #over(cover: Cover, spent: Nano, cost: Nano): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The charge may be on its way for longer than anybody needs the request and its answer, which these know.
    this.#costSoFar = undefined;
    this.#tellLost = undefined;
    this.#parts.over(this, cover, spent, cost);
  }

  #charge(cost: Nano, { accountLease }: Cover, reason = 'request'): Settlement {
    const { requestId, accountId, keyId, priceVersion } = this.name;
    const name = { requestId, accountId, keyId, priceVersion, processId: accountLease.processId };
    const capLease = this.#parts.capLease?.();
    return { ...name, held: this.amount, cost, by: 'gateway', reason, at: this.at, ...(capLease && { capLease }) };
  }
}

function spentOf(share: Nano, due: Nano): Nano {
  if (due <= 0n) return 0n;
  return due < share ? due : share;
}
