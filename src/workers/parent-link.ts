import cluster from 'node:cluster';
import type { Clock } from '../core/clock.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ParentArbiter } from './parent-arbiter.ts';
import { ParentCounts } from './parent-counts.ts';
import type { ServiceState } from './service-state.ts';

/** What is asked of the gateway itself. */
export type WorkerOrder = Extract<ToWorker, { kind: 'start' | 'apply' | 'reloaded' | 'stop' | 'retire' }>;

/** How often a worker says how it is doing. */
const sayEveryMs = 500;
/** A parent that has said nothing for so long is stopped or gone: a worker then speaks for itself. */
const silenceMaxMs = 5000;

/** A worker's side of the channel to its parent. */
export class ParentLink {
  /** The parent as the one who divides places. */
  readonly arbiter = new ParentArbiter((ask, of) => this.tell({ kind: 'ask', ask, of }));
  /** The parent as the one who adds up what the workers count. */
  readonly counts: ParentCounts;
  readonly #clock: Clock;
  #service: ServiceState | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.counts = new ParentCounts(clock, (message) => this.tell(message));
    // Node would end a worker whose parent is gone at once, and all its answers with it.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  }

  tell(message: FromWorker): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }

  /** Says what it has counted, before it ends; resolves when that is said. */
  sayCounts(): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected || !process.send) return resolve();
      process.send(this.counts.message(), undefined, undefined, () => resolve());
    });
  }

  /** Hears every order, and once that there is no parent any more. */
  listen(listener: { readonly ordered: (order: WorkerOrder) => void; readonly orphaned: () => void }): void {
    process.on('message', (order: ToWorker) => {
      this.#heardMs = this.#clock.elapsed();
      if (order.kind === 'service') this.#service = order;
      else if (order.kind === 'answer') this.arbiter.answered(order.ask, order);
      else if (order.kind === 'wake') this.arbiter.woken();
      else if (order.kind === 'count') this.tell(this.counts.message());
      else if (order.kind === 'counted') this.counts.answered(order.ask, order.processes);
      else listener.ordered(order);
    });
    process.on('disconnect', () => {
      this.arbiter.lost();
      this.counts.lost();
      listener.orphaned();
    });
    this.tell({ kind: 'up' });
  }

  /** Says from now on how this worker is doing; returns how the service is. */
  service(own: () => ServiceState): () => ServiceState {
    const say = (): void => {
      this.tell({ kind: 'state', ...own() });
      this.#clock.after(sayEveryMs, say).unref();
    };
    say();
    return () => (this.#clock.elapsed() - this.#heardMs < silenceMaxMs ? this.#service : undefined) ?? own();
  }
}
