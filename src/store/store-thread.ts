import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { assert } from '../core/assert.ts';
import { type ThreadOrder, type ThreadReply, receivedError, type ThreadData } from './thread-orders.ts';

/** The thread of the embedded store is no more; what it was asked for last may have been done or not. */
export class StoreThreadError extends Error {
  override readonly name = 'StoreThreadError';
}

/**
 * Its objects die with the batch they were made for; a list of thousands of rows is the most it ever holds. The flag that
 * sizes the young generation of the main thread, which has it by now, would go before these limits.
 */
const ownLimits = '--max-semi-space-size=0';
const limits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

/** One life of the thread that owns the database: it is asked for one thing after another. */
export class StoreThread {
  readonly #worker: Worker;
  readonly #gone: Promise<void>;
  #asked: PromiseWithResolvers<unknown> | undefined;
  #death: StoreThreadError | undefined;

  private constructor(data: ThreadData) {
    setFlagsFromString(ownLimits);
    const file = new URL(`./thread-worker${import.meta.url.slice(-3)}`, import.meta.url);
    // How the process was started is no concern of the thread, which has a file of its own to begin with.
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

  /** Resolves when it has the database open. */
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
    // Only while somebody waits for it does it keep the process from ending.
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
