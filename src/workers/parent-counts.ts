import type { Clock, Timer } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { MetricFamily } from '../telemetry/series.ts';
import type { FromWorker } from './messages.ts';

/** Longer than the parent waits for those it asks. */
const timeoutMs = 3000;
/** So many may ask at once; more are told to come back. */
const openMax = 64;

type Processes = readonly (readonly MetricFamily[])[];

interface CountRequest {
  readonly resolve: (processes: Processes) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Timer;
}

/** The way of a worker to what all workers have counted. */
export class ParentCounts {
  readonly #clock: Clock;
  readonly #tell: (message: FromWorker) => void;
  readonly #open = new Map<number, CountRequest>();
  #own: () => readonly MetricFamily[] = () => [];
  #asks = 0;
  #isLost = false;

  constructor(clock: Clock, tell: (message: FromWorker) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** What this worker has counted is asked of it from now on; returns how to ask for everybody's. */
  readonly gather = (own: () => readonly MetricFamily[]): (() => Promise<Processes>) => {
    this.#own = own;
    return () => (this.#isLost ? Promise.resolve([own()]) : this.#ask());
  };

  /** The message that says what this worker has counted. */
  message(): FromWorker {
    return { kind: 'counts', families: this.#own() };
  }

  /** The parent has answered. */
  answered(ask: number, processes: Processes): void {
    const asking = this.#open.get(ask);
    this.#open.delete(ask);
    if (!asking) return;
    this.#clock.cancel(asking.timer);
    asking.resolve(processes);
  }

  /** There is no parent any more, and soon no worker either: each speaks for itself. */
  lost(): void {
    this.#isLost = true;
    for (const ask of this.#open.keys()) this.answered(ask, [this.#own()]);
  }

  /** Nobody is told a part for the whole: sums that get smaller would be misread. */
  #ask(): Promise<Processes> {
    if (this.#open.size >= openMax) return Promise.reject(unanswered());
    const ask = (this.#asks += 1);
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(timeoutMs, () => {
        this.#open.delete(ask);
        reject(unanswered());
      });
      this.#open.set(ask, { resolve, reject, timer });
      this.#tell({ kind: 'count-all', ask });
    });
  }
}

function unanswered(): GatewayError {
  return new GatewayError('not-ready', { detail: 'The process that adds up what the workers have counted is busy.' });
}
