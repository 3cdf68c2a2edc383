import { usageWaitMs } from '../core/usage-wait.ts';
import type { AnswerTimeouts } from '../upstreams/watchdog.ts';

/** How long to wait for the end of a finished answer's body, so that the connection can be reused. */
const drainMs = 1000;

/** Idle timeout, total timeout and keep-alive schedule of one answer. */
export class AnswerTiming {
  readonly sentMs: number;
  /** Time of the next check. All times are on the clock's `elapsed` scale. */
  dueMs: number;
  readonly #timeouts: AnswerTimeouts;
  #lastActivityMs = 0;
  #keepAliveMs = 0;
  #hasWritten = false;
  #isPaused = false;
  #isAnswered = false;
  /** Until when to wait for the usage of an answer that the gateway cut at its token cap. */
  #usageDueMs: number | undefined;

  constructor(nowMs: number, timeouts: AnswerTimeouts, holdHeadersMs: number) {
    this.#timeouts = timeouts;
    this.sentMs = nowMs;
    this.dueMs = nowMs + Math.min(holdHeadersMs, timeouts.firstEvent, timeouts.total);
  }

  begin(nowMs: number, keepAliveEveryMs: number): void {
    this.#lastActivityMs = nowMs;
    this.#keepAliveMs = nowMs + keepAliveEveryMs;
    this.#reschedule(nowMs);
  }

  recordActivity(nowMs: number): void {
    this.#lastActivityMs = nowMs;
  }

  recordWrite(): void {
    this.#hasWritten = true;
  }

  /** The idle timeout does not run while the client's backpressure pauses the provider. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(nowMs: number): void {
    this.#isPaused = false;
    this.#lastActivityMs = nowMs;
  }

  /** The gateway cut the answer at its token cap: from now on only the usage report counts. */
  awaitUsage(nowMs: number): void {
    this.#usageDueMs = nowMs + usageWaitMs;
    this.#reschedule(nowMs);
  }

  isUsageLate(nowMs: number): boolean {
    return this.#usageDueMs !== undefined && nowMs >= this.#usageDueMs;
  }

  /** The provider has finished: the idle and total timeouts no longer apply. */
  markAnswered(): void {
    this.#isAnswered = true;
  }

  /** Describes the timeout that has passed; undefined if none has. */
  timeout(nowMs: number): string | undefined {
    if (this.#isAnswered) return undefined;
    if (this.#usageDueMs !== undefined) return undefined;
    const { total, idle } = this.#timeouts;
    if (nowMs >= this.sentMs + total) return `the answer was not complete within ${total} ms`;
    return !this.#isPaused && nowMs >= this.#lastActivityMs + idle ? `no event for ${idle} ms` : undefined;
  }

  /** Whether a keep-alive comment is due now. Called once per check; schedules the next check. */
  takeKeepAlive(nowMs: number, keepAliveEveryMs: number): boolean {
    const isDue = nowMs >= this.#keepAliveMs;
    const isNeeded = isDue && !this.#hasWritten;
    if (isDue) {
      this.#keepAliveMs = nowMs + keepAliveEveryMs;
      this.#hasWritten = false;
    }
    this.#reschedule(nowMs);
    return isNeeded;
  }

  /** The reply has ended; only the provider's body may still be open. */
  drain(nowMs: number): void {
    this.dueMs = nowMs + drainMs;
  }

  #reschedule(nowMs: number): void {
    this.dueMs = this.#keepAliveMs;
    if (this.#isAnswered) return;
    if (this.#usageDueMs !== undefined) {
      this.dueMs = Math.min(this.#usageDueMs, this.#keepAliveMs);
      return;
    }
    const { idle, total } = this.#timeouts;
    const idleMs = (this.#isPaused ? nowMs : this.#lastActivityMs) + idle;
    this.dueMs = Math.min(idleMs, this.sentMs + total, this.#keepAliveMs);
  }
}
