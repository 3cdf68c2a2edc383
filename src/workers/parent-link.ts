import cluster from 'node:cluster';
import type { Clock } from '../core/clock.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ParentArbiter } from './parent-arbiter.ts';
import type { ServiceState } from './service-state.ts';

/** What is asked of the gateway itself. */
export type Order = Extract<ToWorker, { kind: 'start' | 'apply' | 'stop' | 'retire' }>;

/** How often a worker says how it is doing. */
const sayEveryMs = 500;
/** A parent that has said nothing for so long is stopped or gone: a worker then speaks for itself. */
const silenceMaxMs = 5000;

/** A worker's side of the channel to its parent. */
export class ParentLink {
  /** The parent as the one who divides places. */
  readonly arbiter = new ParentArbiter((ask, of) => this.tell({ kind: 'ask', ask, of }));
  readonly #clock: Clock;
  #service: ServiceState | undefined;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Node would end a worker whose parent is gone at once, and all its answers with it.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  }

  tell(message: FromWorker): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }

  /** Hears every order, and once that there is no parent any more. */
  listen(listener: { readonly ordered: (order: Order) => void; readonly orphaned: () => void }): void {
    process.on('message', (order: ToWorker) => {
      this.#heardMs = this.#clock.elapsed();
      if (order.kind === 'service') this.#service = order;
      else if (order.kind === 'answer') this.arbiter.answered(order.ask, order);
      else if (order.kind === 'wake') this.arbiter.woken();
      else listener.ordered(order);
    });
    process.on('disconnect', () => {
      this.arbiter.lost();
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
