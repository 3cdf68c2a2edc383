import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { assert } from '../core/assert.ts';
import { type ThreadOrder, type ThreadReply, receivedError, type ThreadData } from './thread-orders.ts';

/** The embedded store's worker thread has ended. Its last order may have been carried out or not. */
export class StoreThreadError extends Error {
  override readonly name = 'StoreThreadError';
}

/**
 * The thread's objects live as long as one batch; at most it holds a list of thousands of rows. The process-wide flag
 * that sizes the main thread's young generation would override these limits. The main thread has applied that flag by
 * now, so it is cleared.
 */
const ownLimits = '--max-semi-space-size=0';
const limits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

/** One run of the worker thread that owns the database. It handles one order at a time. */
export class StoreThread {
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  #asked: PromiseWithResolvers<unknown> | undefined;
  #death: StoreThreadError | undefined;

  private constructor(data: ThreadData) {
    setFlagsFromString(ownLimits);
    const file = new URL(`./thread-worker${import.meta.url.slice(-3)}`, import.meta.url);
    // The thread does not inherit the process's own Node flags.
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits, execArgv: [], name: 'store' });
    this.#worker.on('message', (reply: ThreadReply) => this.#heard(reply));
    this.#worker.on('error', (error) => this.#died(error));
    this.#gone = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#died(undefined);
        resolve();
      });
    });
  }

  /** Resolves when the thread has opened the database. */
  static async start(data: ThreadData): Promise<StoreThread> {
    const thread = new StoreThread(data);
    await thread.#waiting();
    return thread;
  }

  get isDead(): boolean {
    return this.#death !== undefined;
  }

  ask(order: ThreadOrder): Promise<unknown> {
    if (this.#death) return Promise.reject(this.#death);
    this.#worker.postMessage(order);
    return this.#waiting();
  }

  async close(now: number): Promise<void> {
    if (!this.#death) await this.ask({ kind: 'close', now });
    this.#worker.ref();
    await this.#gone;
  }

  #waiting(): Promise<unknown> {
    assert(this.#asked === undefined, 'the thread of the store is asked one thing at a time');
    this.#asked = Promise.withResolvers();
    // The thread keeps the process alive only while a caller waits for it.
    this.#worker.ref();
    return this.#asked.promise;
  }

  #heard(reply: ThreadReply): void {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#worker.unref();
    if ('error' in reply) asked?.reject(receivedError(reply.error));
    else asked?.resolve(reply.value);
  }

  #died(cause: unknown): void {
    this.#death ??= new StoreThreadError('the thread of the store has ended', { cause });
    this.#asked?.reject(this.#death);
    this.#asked = undefined;
  }
}
