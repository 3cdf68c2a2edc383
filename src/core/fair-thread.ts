import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from './time/clock.ts';

/** A worker thread that runs one piece of work after the other, off the event loop. */
export interface WorkThread<Work> {
  send(work: Work): void;
  end(): Promise<unknown>;
}

/** The events of a thread: it has loaded, it has a result, or it has ended. */
export interface ThreadEvents<Result> {
  ready(): void;
  answered(result: Result): void;
  ended(): void;
}

export type StartThread<Work, Result> = (events: ThreadEvents<Result>) => WorkThread<Work>;

export interface FairThreadLimits {
  /** How long a piece of work waits, once the thread has loaded, before it ends without a result. */
  readonly timeoutMs: number;
  /** How long the thread may take to load, and then for work of a given size, before it counts as stuck. */
  readonly startMaxMs: number;
  readonly workMaxMs: (size: number) => number;
  /** The limits of the queued sizes, of all parties and of one party. */
  readonly waitingMax: number;
  readonly partyMax: number;
}

/** The outcome of a piece of work: `stuck` if the thread was terminated during it, `unheard` if it never began. */
export type WorkOutcome<Result> = { readonly result: Result } | 'stuck' | 'unheard';

interface QueuedWork<Work, Result> {
  readonly work: Work;
  readonly size: number;
  readonly answer: (outcome: WorkOutcome<Result>) => void;
  /** Starts when the thread has loaded. */
  deadline: Timer | undefined;
  isOver: boolean;
}

interface WorkQueue<Work, Result> {
  readonly jobs: QueuedWork<Work, Result>[];
  size: number;
}

/**
 * A worker thread that serves parties in turn, however much work each has. It gets one piece of work at a time, so that
 * the order is decided here and a stuck piece affects no other. The thread starts with the first work.
 */
export class FairThread<Work, Result> {
  readonly #clock: Clock;
  readonly #startThread: StartThread<Work, Result>;
  readonly #limits: FairThreadLimits;
  /** Each party's jobs in order; the next party comes first. */
  readonly #waiting = new Map<string, WorkQueue<Work, Result>>();
  #size = 0;
  #thread: WorkThread<Work> | undefined;
  #isReady = false;
  #current: QueuedWork<Work, Result> | undefined;
  #watchdog: Timer | undefined;

  constructor(clock: Clock, limits: FairThreadLimits, startThread: StartThread<Work, Result>) {
    this.#clock = clock;
    this.#limits = limits;
    this.#startThread = startThread;
  }

  /** Never rejects. */
  run(work: Work, size: number, party: string): Promise<WorkOutcome<Result>> {
    if (!this.#fits(size, party)) return Promise.resolve('unheard');
    return new Promise((resolve) => {
      const answer = (outcome: WorkOutcome<Result>): void => {
        this.#clock.cancel(job.deadline);
        job.isOver = true;
        resolve(outcome);
      };
      const job: QueuedWork<Work, Result> = { work, size, answer, deadline: undefined, isOver: false };
      if (this.#isReady) this.#startDeadline(job);
      this.#enqueue(job, party);
      this.#next();
    });
  }

  async stop(): Promise<void> {
    this.#abandonAll();
    await this.#endThread();
  }

  #startDeadline(job: QueuedWork<Work, Result>): void {
    job.deadline ??= this.#clock.after(this.#limits.timeoutMs, () => job.answer('unheard'));
  }

  #fits(size: number, party: string): boolean {
    const ofParty = this.#waiting.get(party)?.size ?? 0;
    return this.#size + size <= this.#limits.waitingMax && ofParty + size <= this.#limits.partyMax;
  }

  #enqueue(job: QueuedWork<Work, Result>, party: string): void {
    const queue = this.#waiting.get(party) ?? { jobs: [], size: 0 };
    queue.jobs.push(job);
    queue.size += job.size;
    this.#size += job.size;
    this.#waiting.set(party, queue);
  }

  /** Removes the first job of the next party and moves that party to the end. */
  #dequeue(): QueuedWork<Work, Result> | undefined {
    for (const [party, queue] of this.#waiting) {
      this.#waiting.delete(party);
      const job = queue.jobs.shift();
      if (queue.jobs.length > 0) this.#waiting.set(party, queue);
      queue.size -= job?.size ?? 0;
      this.#size -= job?.size ?? 0;
      if (job && !job.isOver) return job;
    }
    return undefined;
  }

  #next(): void {
    if (this.#current || this.#waiting.size === 0) return;
    if (!this.#thread) return this.#start();
    if (!this.#isReady) return;
    this.#current = this.#dequeue();
    if (!this.#current) return;
    this.#thread.send(this.#current.work);
    this.#startWatchdog(this.#limits.workMaxMs(this.#current.size)).unref();
  }

  /** If the thread cannot start, for lack of a file descriptor or memory, all queued work ends without a result. */
  #start(): void {
    try {
      const thread = this.#startThread({
        ready: () => this.#onEvent(thread, () => this.#onLoaded()),
        answered: (result) => this.#onEvent(thread, () => this.#settle({ result })),
        ended: () => this.#onEvent(thread, () => this.#onExit()),
      });
      this.#thread = thread;
      // Not unref'ed: work waits, so the process must not end before the thread has loaded.
      this.#startWatchdog(this.#limits.startMaxMs);
    } catch {
      this.#abandonAll();
    }
  }

  /** Ignores events of a thread that was already replaced. */
  #onEvent(thread: WorkThread<Work>, react: () => void): void {
    if (thread !== this.#thread) return;
    this.#clock.cancel(this.#watchdog);
    react();
    this.#next();
  }

  #startWatchdog(durationMs: number): Timer {
    const watchdog = this.#clock.after(durationMs, () => {
      this.#onExit();
      this.#next();
    });
    this.#watchdog = watchdog;
    return watchdog;
  }

  #onLoaded(): void {
    this.#isReady = true;
    for (const job of this.#jobs()) if (!job.isOver) this.#startDeadline(job);
  }

  *#jobs(): Iterable<QueuedWork<Work, Result>> {
    for (const { jobs } of this.#waiting.values()) yield* jobs;
  }

  #settle(outcome: WorkOutcome<Result>): void {
    this.#current?.answer(outcome);
    this.#current = undefined;
  }

  /** If the thread ends before it has loaded, a new one would fail too, so all queued work ends. */
  #onExit(): void {
    if (!this.#isReady) this.#abandonAll();
    void this.#endThread();
  }

  #abandonAll(): void {
    for (const job of this.#jobs()) job.answer('unheard');
    this.#waiting.clear();
    this.#size = 0;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#clock.cancel(this.#watchdog);
    this.#thread = undefined;
    this.#isReady = false;
    this.#settle('stuck');
    await thread?.end();
  }
}

/** Starts a thread that runs a file. The file posts `ready` when it has loaded, and answers each message with one. */
export function workThread<Work, Result>(
  file: URL,
  resourceLimits: { readonly maxYoungGenerationSizeMb?: number; readonly maxOldGenerationSizeMb?: number },
  events: ThreadEvents<Result>,
): WorkThread<Work> {
  const worker = new Worker(file, { resourceLimits });
  worker.unref();
  worker.on('message', (message: 'ready' | Result) => {
    if (message === 'ready') events.ready();
    else events.answered(message);
  });
  // An error is followed by an exit.
  worker.on('error', () => {});
  worker.on('exit', () => events.ended());
  return { send: (work) => worker.postMessage(work), end: () => worker.terminate() };
}
