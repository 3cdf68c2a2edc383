import cluster from 'node:cluster';
import type { Clock } from '../../core/time/clock.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { ParentArbiter } from './parent-arbiter.ts';
import { ParentCounts } from './parent-counts.ts';
import type { ServiceState } from './service-state.ts';

/** Messages that the gateway itself handles. */
export type WorkerOrder = Extract<ToWorker, { kind: 'start' | 'apply' | 'reloaded' | 'stop' | 'retire' }>;

/** How often a worker sends its state. */
const sendEveryMs = 500;
/** A parent that has sent nothing for this long is suspended or gone: the worker then reports only its own state. */
const silenceMaxMs = 5000;

/** A worker's side of the channel to its parent. */
export class ParentLink {
  readonly arbiter = new ParentArbiter((callId, call) => this.send({ kind: 'arbiter-call', callId, call }));
  readonly counts: ParentCounts;
  readonly #clock: Clock;
  #service: ServiceState | undefined;
  #lastMessageMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.counts = new ParentCounts(clock, (message) => this.send(message));
    // Otherwise Node would end a worker at once when its parent is gone, and all its answers with it.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  }

  send(message: FromWorker): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  }

  /** Sends the counts before the worker ends; resolves when they are sent. */
  sendCounts(): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected || !process.send) return resolve();
      process.send(this.counts.message(), undefined, undefined, () => resolve());
    });
  }

  /** Calls `ordered` with every message for the gateway, and `orphaned` once when the parent is gone. */
  listen(listener: { readonly ordered: (order: WorkerOrder) => void; readonly orphaned: () => void }): void {
    process.on('message', (order: ToWorker) => {
      this.#lastMessageMs = this.#clock.elapsed();
      if (order.kind === 'service') this.#service = order;
      else if (order.kind === 'answer') this.arbiter.answered(order.callId, order);
      else if (order.kind === 'wake') this.arbiter.woken();
      else if (order.kind === 'count') this.send(this.counts.message());
      else if (order.kind === 'counted') this.counts.answered(order.callId, order.processes);
      else listener.ordered(order);
    });
    process.on('disconnect', () => {
      this.arbiter.lost();
      this.counts.lost();
      listener.orphaned();
    });
    this.send({ kind: 'up' });
  }

  /** Sends this worker's state from now on; returns a function that returns the state of the service. */
  service(own: () => ServiceState): () => ServiceState {
    const sendState = (): void => {
      this.send({ kind: 'state', ...own() });
      this.#clock.after(sendEveryMs, sendState).unref();
    };
    sendState();
    return () => {
      if (!this.#service) return withStart(own());
      return this.#clock.elapsed() - this.#lastMessageMs < silenceMaxMs ? this.#service : own();
    };
  }
}

/** The parent sends the state of the service once all workers have started. */
function withStart({ checks, figures }: ServiceState): ServiceState {
  return { checks: [...checks, { name: 'workers', problem: 'The workers are starting.' }], figures };
}
