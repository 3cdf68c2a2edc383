import { usageWaitMs } from '../core/usage-wait.ts';
import type { AnswerTimeouts } from '../upstreams/watchdog.ts';

/** A finished answer is worth a short wait for the end of its body, which lets the connection be used again. */
const drainMs = 1000;

/** How long an answer may be silent, how long it may take, and when its client is shown that it goes on. */
export class AnswerTiming {
  readonly sentMs: number;
  /** When it is to be looked at next. All times are on the clock's `elapsed` scale. */
  dueMs: number;
  readonly #timeouts: AnswerTimeouts;
  #lastSignMs = 0;
  #keepAliveMs = 0;
  #hasSpoken = false;
  #isPaused = false;
  #isAnswered = false;
  /** Until when a provider may still say what an answer used that was cut off. */
  #usageDueMs: number | undefined;

  constructor(nowMs: number, timeouts: AnswerTimeouts, holdHeadersMs: number) {
    this.#timeouts = timeouts;
    this.sentMs = nowMs;
    this.dueMs = nowMs + Math.min(holdHeadersMs, timeouts.firstEvent, timeouts.total);
  }

  begin(nowMs: number, keepAliveEveryMs: number): void {
    this.#lastSignMs = nowMs;
    this.#keepAliveMs = nowMs + keepAliveEveryMs;
    this.#lookLater(nowMs);
  }

  signOfLife(nowMs: number): void {
    this.#lastSignMs = nowMs;
  }

  spoke(): void {
    this.#hasSpoken = true;
  }

  /** Silence does not count while it is the reader who asked for it. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(nowMs: number): void {
    this.#isPaused = false;
    this.#lastSignMs = nowMs;
  }

  /** The answer was cut off: what it used is waited for, and nothing else that its provider says. */
  awaitUsage(nowMs: number): void {
    this.#usageDueMs = nowMs + usageWaitMs;
    this.#lookLater(nowMs);
  }

  /** Whether what the answer used has been waited for long enough. */
  isUsageLate(nowMs: number): boolean {
    return this.#usageDueMs !== undefined && nowMs >= this.#usageDueMs;
  }

  /** The provider has said everything: from now on it is nobody's time but ours. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** Why it has taken too long, if it has. */
  lateness(nowMs: number): string | undefined {
    if (this.#isAnswered) return undefined;
    if (this.#usageDueMs !== undefined) return undefined;
    const { total, idle } = this.#timeouts;
    if (nowMs >= this.sentMs + total) return `the answer was not complete within ${total} ms`;
    return !this.#isPaused && nowMs >= this.#lastSignMs + idle ? `no event for ${idle} ms` : undefined;
  }

  /** Whether the client has to be shown that it goes on; asked at every look. */
  wantsWord(nowMs: number, keepAliveEveryMs: number): boolean {
    const isDue = nowMs >= this.#keepAliveMs;
    const wants = isDue && !this.#hasSpoken;
    if (isDue) {
      this.#keepAliveMs = nowMs + keepAliveEveryMs;
      this.#hasSpoken = false;
    }
    this.#lookLater(nowMs);
    return wants;
  }

  /** The reply is over. */
  drain(nowMs: number): void {
    this.dueMs = nowMs + drainMs;
  }

  #lookLater(nowMs: number): void {
    this.dueMs = this.#keepAliveMs;
    if (this.#isAnswered) return;
    if (this.#usageDueMs !== undefined) {
      this.dueMs = Math.min(this.#usageDueMs, this.#keepAliveMs);
      return;
    }
    const { idle, total } = this.#timeouts;
    const silenceMs = (this.#isPaused ? nowMs : this.#lastSignMs) + idle;
    this.dueMs = Math.min(silenceMs, this.sentMs + total, this.#keepAliveMs);
  }
}
