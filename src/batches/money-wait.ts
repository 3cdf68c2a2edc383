import type { Clock } from '../core/time/clock.ts';

/** A line repeats this often although no other line has returned money. */
const repeatMs = 5000;

/** The lines of this process that wait until another line of their account returns what it held. */
export class MoneyWait {
  readonly #clock: Clock;
  /** Repeats the waiting lines, by account, oldest first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #repeatedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when the line may repeat. */
  line(accountId: string): Promise<void> {
    const waiting = this.#waiting.get(accountId) ?? [];
    this.#waiting.set(accountId, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** The money that one line returns is enough for about one other. */
  repeatOldest(accountId: string): void {
    this.#waiting.get(accountId)?.shift()?.();
  }

  /** Money may have come that no line returned. So one line of each account repeats now and then. */
  repeatSome(): void {
    const nowMs = this.#clock.elapsed();
    if (nowMs - this.#repeatedMs < repeatMs) return;
    this.#repeatedMs = nowMs;
    for (const accountId of this.#waiting.keys()) this.repeatOldest(accountId);
  }

  end(accountId: string): void {
    for (const repeat of this.#waiting.get(accountId)?.splice(0) ?? []) repeat();
    this.#waiting.delete(accountId);
  }

  endAll(): void {
    for (const accountId of this.#waiting.keys()) this.end(accountId);
  }
}
