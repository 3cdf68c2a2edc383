import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { assert } from 'chat-formats/assert.ts';
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
  readonly #exited: Promise<void>;
  #pending: PromiseWithResolvers<unknown> | undefined;
  #endError: StoreThreadError | undefined;

  private constructor(data: ThreadData) {
    setFlagsFromString(ownLimits);
    const file = new URL(`../sqlite/thread-worker${import.meta.url.slice(-3)}`, import.meta.url);
    // The thread does not inherit the process's own Node flags.
    this.#worker = new Worker(file, { workerData: data, resourceLimits: limits, execArgv: [], name: 'store' });
    this.#worker.on('message', (reply: ThreadReply) => this.#handleReply(reply));
    this.#worker.on('error', (error) => this.#handleEnd(error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#handleEnd(undefined);
        resolve();
      });
    });
  }

  /** Resolves when the thread has opened the database. */
  static async start(data: ThreadData): Promise<StoreThread> {
    const thread = new StoreThread(data);
    await thread.#awaitReply();
    return thread;
  }

  get hasEnded(): boolean {
    return this.#endError !== undefined;
  }

  send(order: ThreadOrder): Promise<unknown> {
    if (this.#endError) return Promise.reject(this.#endError);
    this.#worker.postMessage(order);
    return this.#awaitReply();
  }

  async close(now: number): Promise<void> {
    if (!this.#endError) await this.send({ kind: 'close', now });
    this.#worker.ref();
    await this.#exited;
  }

  #awaitReply(): Promise<unknown> {
    assert(this.#pending === undefined, 'the thread of the store handles one order at a time');
    this.#pending = Promise.withResolvers();
    // The thread keeps the process alive only while a caller waits for it.
    this.#worker.ref();
    return this.#pending.promise;
  }

  #handleReply(reply: ThreadReply): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#worker.unref();
    if ('error' in reply) pending?.reject(receivedError(reply.error));
    else pending?.resolve(reply.value);
  }

  #handleEnd(cause: unknown): void {
    this.#endError ??= new StoreThreadError('the thread of the store has ended', { cause });
    this.#pending?.reject(this.#endError);
    this.#pending = undefined;
  }
}
