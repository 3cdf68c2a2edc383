import type { Kysely } from 'kysely';
import type { Clock, Timer } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { isUnreachable } from '../store/unreachable.ts';
import { type NewOutboxEvent, recordEvent } from './record-event.ts';
import { becomes } from './alert-state.ts';

/** How a thing stands, as this process sees it. */
export interface ObservedState {
  readonly subject: string;
  /** As the thing stands when nobody says anything of it. */
  readonly initial: string;
  /** How it stands now; asked inside the transaction where only the store knows. Nothing: there is nothing to say after all. */
  readonly state: string | ((tx: Kysely<Database>) => Promise<string | undefined>);
  /** What to tell if it stood otherwise before; nothing: nobody is told. */
  readonly notice: (tx: Kysely<Database>) => Promise<NewOutboxEvent | undefined> | NewOutboxEvent | undefined;
}

/** A store that is away is tried again after so long. */
const awayPauseMs = 1000;
/** So many subjects may wait for a store that is away; of more, the oldest are not told. */
const waitingMax = 1000;

/**
 * Writes how things stand as processes see it, and tells of changes: the state and its notice in one transaction. While the
 * store is away the last word on each thing is kept; what changed and changed back meanwhile is not told.
 */
export class AlertStateWriter {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<string, ObservedState>();
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;

  constructor(parts: { readonly store: Store; readonly clock: Clock; readonly onError: (error: unknown) => void }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#onError = parts.onError;
  }

  see(seen: ObservedState): void {
    this.#waiting.delete(seen.subject);
    this.#waiting.set(seen.subject, seen);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > waitingMax && oldest !== undefined) this.#waiting.delete(oldest);
    if (this.#retry === undefined) void this.flush();
  }

  /** Ends when everything is written, or the store is away. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async stop(): Promise<void> {
    this.#clock.cancel(this.#retry);
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    this.#clock.cancel(this.#retry);
    this.#retry = undefined;
    const failed = new Set<ObservedState>();
    for (let [next] = this.#waiting.values(); next && !failed.has(next); [next] = this.#waiting.values()) {
      try {
        await this.#store.transaction((tx) => write(tx, next));
        if (this.#waiting.get(next.subject) === next) this.#waiting.delete(next.subject);
      } catch (error) {
        this.#onError(error);
        failed.add(next);
        if (isUnreachable(error)) break;
        this.#moveBehind(next);
      }
    }
    if (failed.size === 0) return;
    this.#retry = this.#clock.after(awayPauseMs, () => void this.flush());
    this.#retry.unref();
  }

  /** What cannot be written keeps nothing else from it. */
  #moveBehind(seen: ObservedState): void {
    if (this.#waiting.get(seen.subject) !== seen) return;
    this.#waiting.delete(seen.subject);
    this.#waiting.set(seen.subject, seen);
  }
}

async function write(tx: Kysely<Database>, { subject, initial, state: said, notice }: ObservedState): Promise<void> {
  const state = typeof said === 'string' ? said : await said(tx);
  if (state === undefined || !(await becomes(tx, { subject, state, initial }))) return;
  const told = await notice(tx);
  if (told) await recordEvent(tx, told);
}
