import type { Arbiter } from '../cluster/arbiter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Reload } from '../config/reload.ts';
import type { Clock } from '../core/clock.ts';
import type { Params } from '../core/reasons/text.ts';
import type { MetricFamily } from '../telemetry/series.ts';
import type { CountSource } from './counts.ts';
import type { Applied, ArbiterAnswer, ArbiterAsk, FromWorker, WorkerStart } from './messages.ts';
import type { ServiceState } from './service-state.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A worker that cannot serve, in its own words. */
export class WorkerRefusal extends Error {
  readonly fix: string | undefined;
  readonly reason: string;
  readonly params: Params;

  constructor(told: { message: string; next: string | undefined; reason: string; params: Params }) {
    super(told.message);
    this.name = 'WorkerRefusal';
    this.fix = told.next;
    this.reason = told.reason;
    this.params = told.params;
  }
}

interface WorkerParts {
  readonly clock: Clock;
  readonly process: WorkerProcess;
  readonly start: WorkerStart;
  readonly onWaiting: (sentence: string) => void;
  /** Divides places among the workers. */
  readonly arbiter: Arbiter;
  /** What all workers have counted. */
  readonly countAll: () => Promise<readonly (readonly MetricFamily[])[]>;
}

/** Who has said nothing for so long is stuck, or stopped. */
const silenceMaxMs = 5000;
/**
 * Who was told so often how the service is doing, and has not said a word since, will not go on by itself. Its silence is
 * counted and not timed: a parent that was stopped itself, with all its workers, finds them silent for no fault of theirs.
 */
export const unansweredMax = 60;
/** Who takes longer to say what it has counted counts with what it said last. */
const countingMs = 1000;

/** One life of a worker, as its parent sees it. */
export class Worker implements CountSource {
  readonly number: number;
  /** Resolves with what an operator is to be shown when it serves, and rejects if it never will. */
  readonly ready: Promise<string | undefined>;
  /** Resolves when its process is gone, with how that came about. */
  readonly gone: Promise<string>;
  /** Resolves when nobody is served here any more who was not served before, with the reason. */
  readonly vacated: Promise<string>;
  readonly #parts: WorkerParts;
  readonly #vacated = Promise.withResolvers<string>();
  readonly #ready = Promise.withResolvers<string | undefined>();
  readonly #gone = Promise.withResolvers<string>();
  readonly #orders = new Map<number, (applied: Applied) => void>();
  #lastOrder = 0;
  #servesSinceMs: number | undefined;
  #said: ServiceState | undefined;
  #saidMs = Number.NEGATIVE_INFINITY;
  #isGone = false;
  /** How often it was told something since it last spoke. */
  #unanswered = 0;
  /** By what name the arbiter knows it. */
  #process: string | undefined;
  #counted: readonly MetricFamily[] = [];
  /** Those who wait for what it has counted. */
  #counting: (() => void)[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.number = parts.start.number;
    this.ready = this.#ready.promise;
    this.gone = this.#gone.promise;
    this.vacated = this.#vacated.promise;
    // Whoever started it may not be waiting for it.
    this.ready.catch(() => {});
    parts.process.listen({ heard: (message) => this.#heard(message), gone: (how) => this.#ended(how) });
  }

  get isServing(): boolean {
    return this.#servesSinceMs !== undefined && !this.#isGone;
  }

  get servedMs(): number {
    return this.#servesSinceMs === undefined ? 0 : this.#parts.clock.elapsed() - this.#servesSinceMs;
  }

  get state(): ServiceState | undefined {
    return this.#parts.clock.elapsed() - this.#saidMs > silenceMaxMs ? undefined : this.#said;
  }

  get counted(): readonly MetricFamily[] {
    return this.#counted;
  }

  count(): Promise<void> {
    if (!this.isServing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(countingMs, resolve);
      this.#counting.push(() => {
        this.#parts.clock.cancel(timer);
        resolve();
      });
      if (this.#counting.length === 1) this.#parts.process.send({ kind: 'count' });
    });
  }

  apply(loaded: LoadedConfig, writes: boolean): Promise<Applied> {
    if (this.#isGone) return Promise.resolve(lost);
    const order = (this.#lastOrder += 1);
    const { promise, resolve } = Promise.withResolvers<Applied>();
    this.#orders.set(order, resolve);
    this.#parts.process.send({ kind: 'apply', order, loaded, writes });
    return promise;
  }

  /** Whether it serves no more and does not know it: it keeps connections, places and perhaps the lock of the store. */
  get isStuck(): boolean {
    return this.isServing && this.#unanswered >= unansweredMax;
  }

  tell(service: ServiceState): void {
    this.#unanswered += 1;
    this.#parts.process.send({ kind: 'service', ...service });
  }

  reloaded(reload: Reload): void {
    this.#parts.process.send({ kind: 'reloaded', ...reload });
  }

  stop(graceMs: number | undefined): void {
    this.#parts.process.send({ kind: 'stop', graceMs });
  }

  retire(): void {
    this.#parts.process.send({ kind: 'retire' });
  }

  /** Something changed for those whom the arbiter knows by these names. */
  wake(processes: readonly string[]): void {
    if (this.#process !== undefined && processes.includes(this.#process)) this.#parts.process.send({ kind: 'wake' });
  }

  kill(): void {
    this.#parts.process.kill();
  }

  #heard(message: FromWorker): void {
    this.#unanswered = 0;
    switch (message.kind) {
      case 'up':
        return this.#parts.process.send({ kind: 'start', ...this.#parts.start });
      case 'waiting':
        return this.#parts.onWaiting(message.sentence);
      case 'ready':
        this.#servesSinceMs = this.#parts.clock.elapsed();
        return this.#ready.resolve(message.announcement);
      case 'leaving':
        return this.#vacated.resolve(message.why);
      case 'refused':
        return this.#ready.reject(new WorkerRefusal(message));
      case 'applied':
        this.#orders.get(message.order)?.(message);
        this.#orders.delete(message.order);
        return;
      case 'state':
        this.#said = message;
        this.#saidMs = this.#parts.clock.elapsed();
        return;
      case 'ask':
        return void this.#answer(message.ask, message.of);
      case 'counts':
        this.#counted = message.families;
        return this.#hasCounted();
      case 'count-all':
        return void this.#tellAll(message.ask);
      default:
        message satisfies never;
    }
  }

  async #answer(ask: number, of: ArbiterAsk): Promise<void> {
    const { arbiter, process } = this.#parts;
    if (of.method === 'report') this.#process = of.report.process;
    process.send({ kind: 'answer', ask, ...(await answerOf(arbiter, of)) });
  }

  async #tellAll(ask: number): Promise<void> {
    this.#parts.process.send({ kind: 'counted', ask, processes: await this.#parts.countAll() });
  }

  #hasCounted(): void {
    for (const heard of this.#counting.splice(0)) heard();
  }

  #ended(how: string): void {
    this.#isGone = true;
    this.#hasCounted();
    // Its connections went with it, so nothing that it had asked a provider for can still run.
    if (this.#process !== undefined) void this.#parts.arbiter.leave(this.#process);
    for (const resolve of this.#orders.values()) resolve(lost);
    this.#orders.clear();
    const message = `Worker ${this.number} ended before it could serve (${how}).`;
    const params = { worker: this.number, how };
    this.#ready.reject(new WorkerRefusal({ message, next: undefined, reason: 'worker_ended', params }));
    this.#vacated.resolve(how);
    this.#gone.resolve(how);
  }
}

async function answerOf(arbiter: Arbiter, of: ArbiterAsk): Promise<ArbiterAnswer> {
  try {
    if (of.method === 'report') return { ok: true, value: await arbiter.report(of.report) };
    if (of.method === 'overview') return { ok: true, value: await arbiter.overview() };
    await arbiter.leave(of.process);
    return { ok: true, value: undefined };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

const lost = { ok: false, message: 'The worker that was asked is gone.' } as const;
