import { systemClock } from '../../../core/time/clock.ts';
import type { RunTasks } from '../run-tasks.ts';
import { StoreThread, StoreThreadError } from './store-thread.ts';
import type { ThreadData } from './thread-orders.ts';

/** A thread that keeps crashing at its start must not use up the processor. */
const restartEveryMs = 1000;

/** Registers a function that readers await from now on. It returns `undefined` when there is nothing to wait for. */
export type BeforeReads = (caughtUp: () => Promise<void> | undefined) => void;

/** The embedded store's worker thread, restarted after it ends. A caller that has taken it has it alone. */
export class ThreadSupervisor {
  readonly #data: ThreadData;
  readonly #lock = new FairLock();
  readonly now: () => number;
  /** Functions that readers await before they take the thread. */
  readonly #readBarriers = new Set<() => Promise<void> | undefined>();
  #thread: StoreThread | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(data: ThreadData, now: () => number) {
    this.#data = data;
    this.now = () => Math.floor(now());
  }

  /** Resolves once all earlier callers have released the thread. Restarts a thread that has ended. */
  async take(): Promise<StoreThread> {
    await this.#lock.take();
    try {
      return await this.#runningThread();
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  /** Like `take`, for a caller that reads: first waits until the store has all acknowledged writes. */
  async takeToRead(): Promise<StoreThread> {
    for (const caughtUp of this.#readBarriers) await caughtUp();
    return this.take();
  }

  readonly beforeReads: BeforeReads = (caughtUp) => {
    this.#readBarriers.add(caughtUp);
  };

  release(): void {
    this.#lock.release();
  }

  /** Sends one message and receives one, however many statements the tasks have. */
  readonly run: RunTasks = async (tasks) => {
    const thread = await this.take();
    try {
      const sent = tasks.map((task) => task.sent());
      return (await thread.send({ kind: 'run', now: this.now(), tasks: sent })) as readonly unknown[];
    } finally {
      this.release();
    }
  };

  async close(): Promise<void> {
    await this.#lock.take();
    this.#isClosed = true;
    await this.#thread?.close(this.now());
    this.#lock.release();
  }

  async #runningThread(): Promise<StoreThread> {
    if (this.#isClosed) throw new StoreThreadError('the store is closed');
    if (this.#thread && !this.#thread.hasEnded) return this.#thread;
    const nowMs = systemClock.elapsed();
    if (nowMs - this.#startedMs < restartEveryMs) throw new StoreThreadError('the thread of the store has just ended');
    this.#startedMs = nowMs;
    this.#thread = await StoreThread.start(this.#data);
    return this.#thread;
  }
}

/** Grants the lock in the order of the calls. The holder keeps it until its transaction ends. */
class FairLock {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}
