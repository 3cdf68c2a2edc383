import type { Arbiter } from '../../platform/cluster/arbiter.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import type { Reload } from '../../platform/config/file/reload.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Params } from 'chat-formats/reasons/text.ts';
import type { MetricFamily } from '../telemetry/metrics/series.ts';
import type { CountSource } from './counts.ts';
import type { ApplyResult, ArbiterAnswer, ArbiterCall, FromWorker, WorkerProcess, WorkerStart } from './messages.ts';
import type { ServiceState } from './service-state.ts';

/** Why a worker cannot serve, from its `refused` message. */
export class WorkerRefusal extends Error {
  readonly fix: string | undefined;
  readonly reason: string;
  readonly params: Params;

  constructor(refusal: { message: string; next: string | undefined; reason: string; params: Params }) {
    super(refusal.message);
    this.name = 'WorkerRefusal';
    this.fix = refusal.next;
    this.reason = refusal.reason;
    this.params = refusal.params;
  }
}

interface WorkerParts {
  readonly clock: Clock;
  readonly process: WorkerProcess;
  readonly start: WorkerStart;
  readonly onWaiting: (sentence: string) => void;
  readonly arbiter: Arbiter;
  /** Undefined while the first workers start. */
  readonly service: () => ServiceState | undefined;
  readonly countAll: () => Promise<readonly (readonly MetricFamily[])[]>;
}

/** A worker that has sent no state for this long is suspended or stuck. */
const silenceMaxMs = 5000;
/**
 * A worker that has received the service state this often without sending anything since will not recover. Its silence
 * is counted in messages, not in time: a parent that was suspended together with its workers would find them silent
 * through no fault of theirs.
 */
export const unansweredMax = 60;
/** If a worker takes longer than this to send its counts, its previous counts are used. */
const countingMs = 1000;

/** One worker process, from its start to its end, as its parent sees it. */
export class Worker implements CountSource {
  readonly number: number;
  readonly #ready = Promise.withResolvers<string | undefined>();
  readonly #gone = Promise.withResolvers<string>();
  readonly #vacated = Promise.withResolvers<string>();
  /** Resolves with the announcement for the operator when the worker serves; rejects if it never will. */
  readonly ready = this.#ready.promise;
  /** Resolves with the signal or exit status when the process has ended. */
  readonly gone = this.#gone.promise;
  /** Resolves with the reason when the worker accepts no new clients any more. */
  readonly vacated = this.#vacated.promise;
  readonly #parts: WorkerParts;
  readonly #orders = new Map<number, (applied: ApplyResult) => void>();
  #lastOrder = 0;
  #servesSinceMs: number | undefined;
  #lastState: ServiceState | undefined;
  #lastStateMs = Number.NEGATIVE_INFINITY;
  #isGone = false;
  /** How many service states were sent to it since its last message. */
  #unanswered = 0;
  #process: string | undefined;
  counted: readonly MetricFamily[] = [];
  #countWaiters: (() => void)[] = [];

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.number = parts.start.number;
    // The code that started the worker may not await `ready`.
    this.ready.catch(() => {});
    parts.process.listen({ onMessage: (message) => this.#handleMessage(message), onExit: (how) => this.#ended(how) });
  }

  get isServing(): boolean {
    return this.#servesSinceMs !== undefined && !this.#isGone;
  }

  get servedMs(): number {
    return this.#servesSinceMs === undefined ? 0 : this.#parts.clock.elapsed() - this.#servesSinceMs;
  }

  get state(): ServiceState | undefined {
    return this.#parts.clock.elapsed() - this.#lastStateMs > silenceMaxMs ? undefined : this.#lastState;
  }

  count(): Promise<void> {
    if (!this.isServing) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(countingMs, resolve);
      this.#countWaiters.push(() => {
        this.#parts.clock.cancel(timer);
        resolve();
      });
      if (this.#countWaiters.length === 1) this.#parts.process.send({ kind: 'count' });
    });
  }

  apply(loaded: LoadedConfig, writes: boolean): Promise<ApplyResult> {
    if (this.#isGone) return Promise.resolve(workerEnded);
    const order = (this.#lastOrder += 1);
    const { promise, resolve } = Promise.withResolvers<ApplyResult>();
    this.#orders.set(order, resolve);
    this.#parts.process.send({ kind: 'apply', order, loaded, writes });
    return promise;
  }

  /** Whether it serves no more, but has not ended: it holds connections, slots and perhaps the store's lock. */
  get isStuck(): boolean {
    return this.isServing && this.#unanswered >= unansweredMax;
  }

  sendServiceState(service: ServiceState): void {
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

  /** Sends `wake` if the arbiter's list names this worker. */
  wake(processes: readonly string[]): void {
    if (this.#process !== undefined && processes.includes(this.#process)) this.#parts.process.send({ kind: 'wake' });
  }

  kill(): void {
    this.#parts.process.kill();
  }

  #handleMessage(message: FromWorker): void {
    this.#unanswered = 0;
    switch (message.kind) {
      case 'up':
        return this.#begin();
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
        this.#lastState = message;
        this.#lastStateMs = this.#parts.clock.elapsed();
        return;
      case 'arbiter-call':
        return void this.#answer(message.callId, message.call);
      case 'counts':
        this.counted = message.families;
        return this.#resolveCounts();
      case 'count-all':
        return void this.#sendAllCounts(message.callId);
      default:
        message satisfies never;
    }
  }

  /** The state comes first: a replacement that begins to serve must not report that the service starts. */
  #begin(): void {
    const service = this.#parts.service();
    if (service) this.sendServiceState(service);
    this.#parts.process.send({ kind: 'start', ...this.#parts.start });
  }

  async #answer(callId: number, call: ArbiterCall): Promise<void> {
    const { arbiter, process } = this.#parts;
    if (call.method === 'report') this.#process = call.report.process;
    process.send({ kind: 'answer', callId, ...(await answerOf(arbiter, call)) });
  }

  async #sendAllCounts(callId: number): Promise<void> {
    this.#parts.process.send({ kind: 'counted', callId, processes: await this.#parts.countAll() });
  }

  #resolveCounts(): void {
    for (const resolve of this.#countWaiters.splice(0)) resolve();
  }

  #ended(how: string): void {
    this.#isGone = true;
    this.#resolveCounts();
    // Its connections closed with it, so none of its provider calls can still run.
    if (this.#process !== undefined) void this.#parts.arbiter.leave(this.#process);
    for (const resolve of this.#orders.values()) resolve(workerEnded);
    this.#orders.clear();
    const message = `Worker ${this.number} ended before it could serve requests (${how}).`;
    const params = { worker: this.number, how };
    this.#ready.reject(new WorkerRefusal({ message, next: undefined, reason: 'worker_ended', params }));
    this.#vacated.resolve(how);
    this.#gone.resolve(how);
  }
}

async function answerOf(arbiter: Arbiter, call: ArbiterCall): Promise<ArbiterAnswer> {
  try {
    if (call.method === 'report') return { ok: true, value: await arbiter.report(call.report) };
    if (call.method === 'overview') return { ok: true, value: await arbiter.overview() };
    await arbiter.leave(call.process);
    return { ok: true, value: undefined };
  } catch (error) {
    const isInvariantViolation = error instanceof InvariantViolation;
    return { ok: false, message: error instanceof Error ? error.message : String(error), isInvariantViolation };
  }
}

const workerEnded = { ok: false, message: 'The worker ended before it applied the configuration.' } as const;
