import type { Clock, Timer } from '../core/clock.ts';
import type { ExchangeSummary } from '../http/server.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { WriteLine } from './access-log.ts';
import type { SurfaceNames } from './surface-name.ts';

/** The longest a line waits for what it lacks. */
const patienceMs = 1000;
/** So many halves are kept; of more, the oldest lines are written as they are. */
const halvesMax = 1000;

/** Endpoints whose requests have records, if they had a valid key. */
const recorded: ReadonlySet<string> = new Set([
  'chat_completions',
  'completions',
  'responses',
  'messages',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
]);

interface RequestLinesParts {
  readonly clock: Clock;
  readonly surfaces: SurfaceNames;
  readonly write: WriteLine;
}

/**
 * Puts the two halves of a request's line together: what HTTP knows of it and what its record says. They are there within
 * a moment of each other, in either order; a line whose other half does not come is written without it.
 */
export class RequestLines {
  readonly #parts: RequestLinesParts;
  readonly #done = new Map<string, ExchangeSummary>();
  readonly #records = new Map<string, RequestRecord>();
  #timer: Timer | undefined;

  constructor(parts: RequestLinesParts) {
    this.#parts = parts;
  }

  exchanged(done: ExchangeSummary): void {
    const record = this.#records.get(done.id);
    this.#records.delete(done.id);
    if (record || !this.#isRecorded(done)) return this.#parts.write(done, record);
    this.#done.set(done.id, done);
    if (this.#done.size > halvesMax) this.#giveUpOldest();
    this.#timer ??= this.#later();
  }

  served(record: RequestRecord): void {
    const done = this.#done.get(record.id);
    this.#done.delete(record.id);
    if (done) return this.#parts.write(done, record);
    this.#records.set(record.id, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > halvesMax && oldest !== undefined) this.#records.delete(oldest);
  }

  /** Writes what is left. */
  stop(): void {
    this.#parts.clock.cancel(this.#timer);
    while (this.#done.size > 0) this.#giveUpOldest();
  }

  #isRecorded({ method, path, status, error }: ExchangeSummary): boolean {
    const isKnown = status !== 401 && (status === 200 || error !== undefined || status === 0);
    return method === 'POST' && isKnown && recorded.has(this.#parts.surfaces.of(path));
  }

  #later(): Timer {
    const waiting = new Set(this.#done.keys());
    const timer = this.#parts.clock.after(patienceMs, () => {
      for (const id of waiting) this.#giveUp(id);
      this.#timer = this.#done.size > 0 ? this.#later() : undefined;
    });
    timer.unref();
    return timer;
  }

  #giveUpOldest(): void {
    const [oldest] = this.#done.keys();
    if (oldest !== undefined) this.#giveUp(oldest);
  }

  #giveUp(id: string): void {
    const done = this.#done.get(id);
    this.#done.delete(id);
    if (done) this.#parts.write(done);
  }
}
