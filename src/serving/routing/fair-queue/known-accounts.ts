import { QueuedAccount } from './queued-account.ts';

/** Idle accounts are swept when there are twice as many accounts as after the last sweep, and at least this many. */
const sweepAtLeast = 1024;

/** Every account that waits, runs, or is still ahead in virtual time. */
export class KnownAccounts {
  readonly #accounts = new Map<string, QueuedAccount>();
  readonly #mayForget: (account: QueuedAccount) => boolean;
  #sweepAbove = sweepAtLeast;

  constructor(mayForget: (account: QueuedAccount) => boolean) {
    this.#mayForget = mayForget;
  }

  get all(): Iterable<QueuedAccount> {
    return this.#accounts.values();
  }

  of(id: string): QueuedAccount {
    const known = this.#accounts.get(id);
    if (known) return known;
    if (this.#accounts.size >= this.#sweepAbove) this.#sweep();
    const account = new QueuedAccount(id);
    this.#accounts.set(id, account);
    return account;
  }

  forget(account: QueuedAccount): void {
    if (this.#mayForget(account)) this.#accounts.delete(account.id);
  }

  clear(): void {
    this.#accounts.clear();
    this.#sweepAbove = sweepAtLeast;
  }

  #sweep(): void {
    for (const account of this.#accounts.values()) this.forget(account);
    this.#sweepAbove = Math.max(sweepAtLeast, 2 * this.#accounts.size);
  }
}
