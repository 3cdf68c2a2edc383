import type { Arbiter } from '../../platform/cluster/arbiter.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import type { Reload, ReloadState } from '../../platform/config/file/reload.ts';
import type { Clock, Timer } from '../../core/time/clock.ts';
import type { ApplyResult, WorkerProcess, WorkerSource, WorkerStart } from './messages.ts';
import { WorkerCounts } from './counts.ts';
import { type ServiceState, serviceState } from './service-state.ts';
import { unansweredMax, Worker } from './worker.ts';

export interface WorkerPoolParts {
  readonly clock: Clock;
  readonly workers: number;
  readonly source: WorkerSource;
  /** The result of the last reload before the pool was created: the start counts as one. */
  readonly reload: ReloadState;
  /** Starts a process of the program as it is on disk now. */
  readonly fork: () => WorkerProcess;
  /** Divides the slots at upstreams among the workers, unless a database does. */
  readonly arbiter: Arbiter;
  readonly complain: (sentence: string) => void;
}

/** The position of one worker in the pool, which a replacement takes over. */
interface WorkerSlot {
  readonly number: number;
  readonly backoff: RestartBackoff;
  worker: Worker | undefined;
  restart: Timer | undefined;
}

/** Tasks that one worker does for all when it starts. */
type WorkerDuties = Pick<WorkerStart, 'writes' | 'announces'>;

const follower: WorkerDuties = { writes: false, announces: false };

/** How often the workers receive the state of the service. */
const sendEveryMs = 500;

/** Starts, watches and replaces the worker processes behind one address, when they crash or for another program. */
export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #slots: readonly WorkerSlot[];
  /** All running workers, including replaced ones that finish their answers. */
  readonly #alive = new Set<Worker>();
  readonly #counts = new WorkerCounts(this.#alive);
  #loaded: LoadedConfig;
  #reload: ReloadState;
  #lastChange: Promise<unknown> = Promise.resolve();
  #hasStarted = false;
  #isStopping = false;

  constructor(parts: WorkerPoolParts, loaded: LoadedConfig) {
    this.#parts = parts;
    this.#loaded = loaded;
    this.#reload = parts.reload;
    this.#slots = Array.from({ length: parts.workers }, (_, index) => ({
      number: index + 1,
      backoff: new RestartBackoff(),
      worker: undefined,
      restart: undefined,
    }));
    parts.arbiter.subscribe((processes) => {
      for (const worker of this.#alive) worker.wake(processes);
    });
  }

  /** Resolves with the announcement when all workers have started; rejects if the first cannot serve. */
  start(): Promise<string | undefined> {
    const started = this.#startAll();
    this.#lastChange = started.catch(() => undefined);
    return started;
  }

  async #startAll(): Promise<string | undefined> {
    const [first, ...others] = this.#slots;
    try {
      const announcement = await this.#fill(first, { writes: true, announces: true })?.ready;
      await Promise.allSettled(others.map(async (slot) => this.#fill(slot, follower)?.ready));
      this.#hasStarted = true;
      this.#sendServiceState();
      return announcement;
    } catch (error) {
      if (this.#isStopping) return undefined;
      this.kill();
      throw error;
    }
  }

  /** One worker writes the configuration to the store; the others receive it only if that succeeded. */
  apply(loaded: LoadedConfig): Promise<ApplyResult> {
    return this.#serialize(async () => {
      const [first, ...others] = this.#stayingFirst().filter(({ isServing }) => isServing);
      if (!first) return { ok: false, message: 'No worker is running that could apply the configuration.' };
      const applied = await first.apply(loaded, true);
      if (!applied.ok) return applied;
      this.#loaded = loaded;
      for (const worker of others) await this.#follow(worker);
      return applied;
    });
  }

  /** Sends the result of a reload to every worker; one of them logs why it was rejected. */
  reloaded({ state, refusal }: Reload): void {
    this.#reload = state;
    const [first, ...others] = this.#stayingFirst().filter(({ isServing }) => isServing);
    first?.reloaded({ state, refusal });
    for (const worker of others) worker.reloaded({ state });
    if (!first && refusal) this.#parts.complain(`${refusal.file} was not applied: ${refusal.reason}`);
  }

  /**
   * Replaces one worker after another. Each leaves when its replacement serves, and has all the time it needs for its
   * answers. If a replacement cannot serve, the restart ends, and the current workers go on.
   */
  roll(): Promise<boolean> {
    return this.#serialize(async () => {
      for (const slot of this.#slots) {
        // The program may be a newer one, which may interpret its configuration differently: write it again.
        const writes = slot === this.#slots[0];
        if (this.#isStopping || !(await this.#replace(slot, { writes, announces: false }))) return false;
      }
      return true;
    });
  }

  /** Resolves when all processes have ended. A second call sets a new grace period. */
  async stop(graceMs?: number): Promise<void> {
    this.#isStopping = true;
    for (const { restart } of this.#slots) this.#parts.clock.cancel(restart);
    for (const worker of this.#alive) worker.stop(graceMs);
    await Promise.all([...this.#alive].map(({ gone }) => gone));
  }

  kill(): void {
    this.#isStopping = true;
    for (const worker of this.#alive) worker.kill();
  }

  #serialize<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#lastChange.then(change);
    this.#lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** Workers that stay come first: one that leaves may end before it has written, or run an older program. */
  #stayingFirst(): readonly Worker[] {
    const staying = this.#slots.flatMap(({ worker }) => worker ?? []);
    return [...new Set([...staying, ...this.#alive])];
  }

  async #follow(worker: Worker): Promise<void> {
    const outcome = await worker.apply(this.#loaded, false);
    if (!outcome.ok)
      this.#parts.complain(`Worker ${worker.number} could not apply the configuration: ${outcome.message}`);
  }

  /** Sends the current configuration, which may have changed while the worker started. */
  #catchUp(worker: Worker, began: Pick<WorkerStart, 'loaded' | 'reload'>): Promise<void> {
    return this.#serialize(async () => {
      if (worker.isServing && began.reload !== this.#reload) worker.reloaded({ state: this.#reload });
      if (worker.isServing && began.loaded !== this.#loaded) await this.#follow(worker);
    });
  }

  async #replace(slot: WorkerSlot, duties: WorkerDuties): Promise<boolean> {
    const before = slot.worker;
    const successor = this.#startWorker(slot.number, duties);
    try {
      await successor.ready;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#parts.complain(`Worker ${slot.number} was not replaced: ${reason}`);
      successor.kill();
      return false;
    }
    // The old worker may have crashed meanwhile, and its own replacement may be about to start.
    this.#parts.clock.cancel(slot.restart);
    const leaving = new Set([before, slot.worker]);
    this.#occupy(slot, successor);
    for (const worker of leaving) worker?.retire();
    return true;
  }

  #fill(slot: WorkerSlot | undefined, duties: WorkerDuties): Worker | undefined {
    if (!slot || this.#isStopping) return undefined;
    const worker = this.#startWorker(slot.number, duties);
    this.#occupy(slot, worker);
    return worker;
  }

  #startWorker(number: number, duties: WorkerDuties): Worker {
    const { clock, fork, complain, workers, source, arbiter } = this.#parts;
    const start = { number, workers, loaded: this.#loaded, reload: this.#reload, source, ...duties };
    const countAll = () => this.#counts.all();
    const service = () => (this.#hasStarted ? this.#serviceState() : undefined);
    const worker = new Worker({ clock, process: fork(), start, onWaiting: complain, arbiter, countAll, service });
    this.#alive.add(worker);
    worker.ready.then(
      () => this.#catchUp(worker, start),
      () => {},
    );
    void worker.gone.then(() => {
      this.#alive.delete(worker);
      this.#counts.gone(worker);
    });
    return worker;
  }

  /** From now on the end of this worker starts a replacement, and the end of the previous worker does not. */
  #occupy(slot: WorkerSlot, worker: Worker): void {
    slot.worker = worker;
    void worker.vacated.then((how) => {
      if (slot.worker !== worker || this.#isStopping) return;
      slot.worker = undefined;
      const pauseMs = slot.backoff.afterMs(worker.servedMs);
      this.#parts.complain(`Worker ${slot.number} ended (${how}). Its replacement starts${within(pauseMs)}.`);
      slot.restart = this.#parts.clock.after(pauseMs, () => void this.#fill(slot, follower));
    });
  }

  #end(worker: Worker): void {
    const seconds = (unansweredMax * sendEveryMs) / 1000;
    this.#parts.complain(
      `Worker ${worker.number} has sent nothing for ${seconds} s. It is suspended or stuck, and is killed.`,
    );
    worker.kill();
  }

  #serviceState(): ServiceState {
    return serviceState(this.#slots.map(({ worker }) => worker?.state));
  }

  /** Runs also while all workers stop: a suspended worker would keep the parent from ending. */
  readonly #sendServiceState = (): void => {
    if (this.#isStopping && this.#alive.size === 0) return;
    const { checks, figures } = this.#serviceState();
    for (const worker of this.#alive) {
      if (worker.isStuck) this.#end(worker);
      else worker.sendServiceState({ checks, figures });
    }
    this.#parts.clock.after(sendEveryMs, this.#sendServiceState);
  };
}

function within(pauseMs: number): string {
  return pauseMs === 0 ? ' now' : ` in ${(pauseMs / 1000).toFixed(1)} s`;
}

const firstMs = 250;
const longestMs = 30_000;
/** A worker that has served for this long did not fail because of its start. */
const soundMs = 60_000;

/**
 * The back-off before a worker is replaced. The first time there is none; it doubles with every failure that follows
 * soon, so that a program that cannot run does not take the processor from workers that can.
 */
class RestartBackoff {
  #failures = 0;

  afterMs(servedMs: number): number {
    if (servedMs >= soundMs) this.#failures = 0;
    const pauseMs = this.#failures === 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (this.#failures - 1));
    this.#failures += 1;
    return pauseMs;
  }
}
