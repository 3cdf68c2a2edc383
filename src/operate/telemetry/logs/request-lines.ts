import { passThroughEndpoints } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import type { ExchangeSummary } from '../../../serving/http/server-options.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import type { WriteLine } from './access-log.ts';
import type { SurfaceNames } from '../traces/surface-name.ts';

/** How long a line waits for its other half. The timer has the same interval, so the wait can be twice as long. */
const timeoutMs = 1000;
/** The most halves to keep. Beyond this, the oldest lines are written without their record. */
const halvesMax = 256;

/** Endpoints whose requests have records if the key is valid. */
const recordedSurfaces: ReadonlySet<string> = new Set([
  'chat_completions',
  'completions',
  'responses',
  'messages',
  ...passThroughEndpoints,
]);

interface RequestLinesParts {
  readonly clock: Clock;
  readonly surfaces: SurfaceNames;
  readonly write: WriteLine;
}

/**
 * Joins the two halves of a request's log line: its HTTP exchange and its record. They arrive within milliseconds of
 * each other, in either order. A line whose record does not arrive is written without it.
 */
export class RequestLines {
  readonly #parts: RequestLinesParts;
  readonly #done = new PendingHalves<{ id: string; done: ExchangeSummary; sinceMs: number }>();
  readonly #records = new PendingHalves<RequestRecord>();
  #timer: Timer | undefined;

  constructor(parts: RequestLinesParts) {
    this.#parts = parts;
  }

  exchanged(done: ExchangeSummary): void {
    const record = this.#records.take(done.id);
    if (record || !this.#isRecorded(done)) return this.#parts.write(done, record);
    this.#done.add({ id: done.id, done, sinceMs: this.#parts.clock.elapsed() });
    if (this.#done.size > halvesMax) this.#writeOldest();
    this.#timer ??= this.#startTimer();
  }

  served(record: RequestRecord): void {
    const finished = this.#done.take(record.id);
    if (finished) return this.#parts.write(finished.done, record);
    this.#records.add(record);
    if (this.#records.size > halvesMax) this.#records.takeOldest();
  }

  /** Writes the remaining lines without their records. */
  stop(): void {
    this.#parts.clock.cancel(this.#timer);
    while (this.#done.size > 0) this.#writeOldest();
  }

  #isRecorded({ method, path, status, error }: ExchangeSummary): boolean {
    const isKnown = status !== 401 && (status === 200 || error !== undefined || status === 0);
    return method === 'POST' && isKnown && recordedSurfaces.has(this.#parts.surfaces.of(path));
  }

  #startTimer(): Timer {
    const { clock } = this.#parts;
    const timer = clock.after(timeoutMs, () => {
      const cutoffMs = clock.elapsed() - timeoutMs;
      while ((this.#done.oldest?.sinceMs ?? Number.POSITIVE_INFINITY) <= cutoffMs) this.#writeOldest();
      this.#timer = this.#done.size > 0 ? this.#startTimer() : undefined;
    });
    timer.unref();
    return timer;
  }

  #writeOldest(): void {
    const finished = this.#done.takeOldest();
    if (finished) this.#parts.write(finished.done);
  }
}

/** Oldest first; a few, for milliseconds. A map that changes with every request would keep deleted entries. */
class PendingHalves<Half extends { readonly id: string }> {
  readonly #pending: Half[] = [];

  get size(): number {
    return this.#pending.length;
  }

  add(half: Half): void {
    this.#pending.push(half);
  }

  take(id: string): Half | undefined {
    const index = this.#pending.findIndex((half) => half.id === id);
    return index === -1 ? undefined : this.#pending.splice(index, 1)[0];
  }

  get oldest(): Half | undefined {
    return this.#pending[0];
  }

  takeOldest(): Half | undefined {
    return this.#pending.shift();
  }
}
