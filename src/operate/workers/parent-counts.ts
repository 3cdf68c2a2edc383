import type { Clock, Timer } from '../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { MetricFamily } from '../telemetry/metrics/series.ts';
import type { FromWorker } from './messages.ts';

/** Longer than the parent waits for its workers. */
const timeoutMs = 3000;
/** The most open requests; beyond that, requests are rejected with `not-ready`. */
const openMax = 64;

type Processes = readonly (readonly MetricFamily[])[];

/** A worker's client for the metric counts of all workers. */
export class ParentCounts {
  readonly #clock: Clock;
  readonly #send: (message: FromWorker) => void;
  readonly #open = new Map<number, { resolve: (processes: Processes) => void; timer: Timer }>();
  #own: () => readonly MetricFamily[] = () => [];
  #requests = 0;
  #isLost = false;

  constructor(clock: Clock, send: (message: FromWorker) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Registers the source of this worker's counts. Returns a function that fetches the counts of all workers. */
  readonly gather = (own: () => readonly MetricFamily[]): (() => Promise<Processes>) => {
    this.#own = own;
    return () => (this.#isLost ? Promise.resolve([own()]) : this.#request());
  };

  /** The message with this worker's counts. */
  message(): FromWorker {
    return { kind: 'counts', families: this.#own() };
  }

  answered(callId: number, processes: Processes): void {
    const request = this.#open.get(callId);
    this.#open.delete(callId);
    if (!request) return;
    this.#clock.cancel(request.timer);
    request.resolve(processes);
  }

  /** The parent is gone, and the workers will end soon: each returns only its own counts. */
  lost(): void {
    this.#isLost = true;
    for (const callId of this.#open.keys()) this.answered(callId, [this.#own()]);
  }

  /** Rejects rather than return a part of the counts: a sum that gets smaller would be read as a counter reset. */
  #request(): Promise<Processes> {
    if (this.#open.size >= openMax) return Promise.reject(busyError());
    const callId = (this.#requests += 1);
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(timeoutMs, () => {
        this.#open.delete(callId);
        reject(busyError());
      });
      this.#open.set(callId, { resolve, timer });
      this.#send({ kind: 'count-all', callId });
    });
  }
}

function busyError(): GatewayError {
  return new GatewayError('not-ready', {
    detail: 'The parent process is too busy to return the metrics of all workers. Try again.',
  });
}
