import { systemClock } from '../core/clock.ts';
import type { RunTasks } from './run-tasks.ts';
import { StoreThread, StoreThreadError } from './store-thread.ts';
import type { ThreadData } from './thread-orders.ts';
import { oneAtATime, type ConnectionLock } from './connection-lock.ts';

/** A thread that dies at once again and again must not take the processor for it. */
const restartEveryMs = 1000;

/** Takes what readers are to wait for from now on; nothing at the moment, if it is not a promise. */
export type BeforeReads = (caughtUp: () => Promise<void> | undefined) => void;

/** The thread of the embedded store and those that follow it when it dies. Whoever takes a turn has it alone. */
export class ThreadLives {
  readonly #data: ThreadData;
  readonly #turns: ConnectionLock = oneAtATime();
  readonly now: () => number;
  /** What readers wait for. */
  readonly #before = new Set<() => Promise<void> | undefined>();
  #thread: StoreThread | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(data: ThreadData, now: () => number) {
    this.#data = data;
    this.now = () => Math.floor(now());
  }

  /** Resolves with the thread when everybody who came before is done with it; a dead one is replaced first. */
  async take(): Promise<StoreThread> {
    await this.#turns.take();
    try {
      return await this.#alive();
    } catch (error) {
      this.#turns.over();
      throw error;
    }
  }

  /** The same for whoever may read: not before the store has caught up. */
  async takeToRead(): Promise<StoreThread> {
    for (const caughtUp of this.#before) await caughtUp();
    return this.take();
  }

  readonly beforeReads: BeforeReads = (caughtUp) => {
    this.#before.add(caughtUp);
  };

  over(): void {
    this.#turns.over();
  }

  /** One message there and one back, however many statements it takes. */
  readonly run: RunTasks = async (tasks) => {
    const thread = await this.take();
    try {
      const sent = tasks.map((task) => task.sent());
      return (await thread.ask({ kind: 'run', now: this.now(), tasks: sent })) as readonly unknown[];
    } finally {
      this.over();
    }
  };

  async close(): Promise<void> {
    await this.#turns.take();
    this.#isClosed = true;
    await this.#thread?.close(this.now());
    this.#turns.over();
  }

  async #alive(): Promise<StoreThread> {
    if (this.#isClosed) throw new StoreThreadError('the store is closed');
    if (this.#thread && !this.#thread.isDead) return this.#thread;
    const nowMs = systemClock.elapsed();
    if (nowMs - this.#startedMs < restartEveryMs) throw new StoreThreadError('the thread of the store has just ended');
    this.#startedMs = nowMs;
    this.#thread = await StoreThread.start(this.#data);
    return this.#thread;
  }
}
