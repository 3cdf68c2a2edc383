import type { Kysely } from 'kysely';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import type { Database } from '../../../platform/store/database.ts';
import type { Store } from '../../../platform/store/store.ts';
import { isUnreachable } from '../../../platform/store/postgres/unreachable.ts';
import { type NewOutboxEvent, recordEvent } from '../../../platform/outbox/record-event.ts';
import { setAlertState } from '../../../platform/outbox/alert-state.ts';

export interface ObservedState {
  readonly subject: string;
  /** The state of a subject without a row. */
  readonly initial: string;
  /** The state now, or a function that reads it inside the transaction. `undefined`: write nothing. */
  readonly state: string | ((tx: Kysely<Database>) => Promise<string | undefined>);
  /** Builds the event for a changed state. `undefined`: no event. */
  readonly event: (tx: Kysely<Database>) => Promise<NewOutboxEvent | undefined> | NewOutboxEvent | undefined;
}

/** What a watch of one kind of state needs. */
export interface WatchParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly alertStates: Pick<AlertStateWriter, 'observe'>;
}

/** Retry interval while the store is unreachable. */
const retryMs = 1000;
/** Limit on waiting subjects. Above it the oldest is dropped. */
const waitingMax = 1000;

type AlertStateWriterParts = Pick<WatchParts, 'store' | 'clock'> & { readonly onError: (error: unknown) => void };

/**
 * Writes alert states, and an event for each change, in one transaction. While the store is unreachable, only the
 * latest state of each subject is kept. A state that changed and changed back meanwhile yields no event.
 */
export class AlertStateWriter {
  readonly #parts: AlertStateWriterParts;
  readonly #waiting = new Map<string, ObservedState>();
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;

  constructor(parts: AlertStateWriterParts) {
    this.#parts = parts;
  }

  observe(state: ObservedState): void {
    this.#waiting.delete(state.subject);
    this.#waiting.set(state.subject, state);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > waitingMax && oldest !== undefined) this.#waiting.delete(oldest);
    if (this.#retry === undefined) void this.flush();
  }

  /** Resolves when everything is written, or the store is unreachable. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async stop(): Promise<void> {
    this.#parts.clock.cancel(this.#retry);
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#parts.clock.cancel(this.#retry);
    this.#retry = undefined;
    const failed = new Set<ObservedState>();
    for (let [next] = this.#waiting.values(); next && !failed.has(next); [next] = this.#waiting.values()) {
      try {
        await this.#parts.store.transaction((tx) => write(tx, next));
        if (this.#waiting.get(next.subject) === next) this.#waiting.delete(next.subject);
      } catch (error) {
        this.#parts.onError(error);
        failed.add(next);
        if (isUnreachable(error)) break;
        this.#moveToEnd(next);
      }
    }
    if (failed.size === 0) return;
    this.#retry = this.#parts.clock.after(retryMs, () => void this.flush());
    this.#retry.unref();
  }

  /** Moves a failed state to the end, so that it does not block others. */
  #moveToEnd(state: ObservedState): void {
    if (this.#waiting.get(state.subject) !== state) return;
    this.#waiting.delete(state.subject);
    this.#waiting.set(state.subject, state);
  }
}

async function write(tx: Kysely<Database>, { subject, initial, state: observed, event: eventFor }: ObservedState) {
  const state = typeof observed === 'string' ? observed : await observed(tx);
  if (state === undefined || !(await setAlertState(tx, { subject, state, initial }))) return;
  const event = await eventFor(tx);
  if (event) await recordEvent(tx, event);
}
