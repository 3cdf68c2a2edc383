import type { Arbiter } from '../cluster/arbiter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Reload, ReloadState } from '../config/reload.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { Applied, WorkerSource, WorkerStart } from './messages.ts';
import { WorkerCounts } from './counts.ts';
import { RestartPause } from './restart-pause.ts';
import { serviceState } from './service-state.ts';
import { unansweredMax, Worker } from './worker.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface WorkerPoolParts {
  readonly clock: Clock;
  readonly workers: number;
  readonly source: WorkerSource;
  /** How the last reload ended when the pool began: the start counts as one. */
  readonly reload: ReloadState;
  /** Starts a process of the program, as it is on disk now. */
  readonly fork: () => WorkerProcess;
  /** Divides the places at upstreams among the workers, where no database does. */
  readonly arbiter: Arbiter;
  /** Hears, in sentences, what an operator should know. */
  readonly complain: (sentence: string) => void;
}

/** One of the places behind the address. */
interface WorkerSlot {
  readonly number: number;
  readonly pause: RestartPause;
  worker: Worker | undefined;
  restart: Timer | undefined;
}

/** What a worker does for all of them when it starts. */
type WorkerDuties = Pick<WorkerStart, 'writes' | 'announces'>;

const follower: WorkerDuties = { writes: false, announces: false };

/** How often the workers hear how the service is doing. */
const tellEveryMs = 500;

/** The processes behind one address: started, watched, and replaced when they die or when another program is to run. */
export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #places: readonly WorkerSlot[];
  /** All whose process is there, those included that have been replaced and finish their answers. */
  readonly #alive = new Set<Worker>();
  readonly #counts = new WorkerCounts(this.#alive);
  #loaded: LoadedConfig;
  #reload: ReloadState;
  #changing: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  constructor(parts: WorkerPoolParts, loaded: LoadedConfig) {
    this.#parts = parts;
    this.#loaded = loaded;
    this.#reload = parts.reload;
    this.#places = Array.from({ length: parts.workers }, (_, index) => ({
      number: index + 1,
      pause: new RestartPause(),
      worker: undefined,
      restart: undefined,
    }));
    parts.arbiter.subscribe((processes) => {
      for (const worker of this.#alive) worker.wake(processes);
    });
  }

  /** Resolves when all serve, with what an operator is to be shown; rejects if already the first one cannot. */
  async start(): Promise<string | undefined> {
    const [first, ...others] = this.#places;
    try {
      const announcement = await this.#fill(first, { writes: true, announces: true })?.ready;
      await Promise.allSettled(others.map(async (place) => this.#fill(place, follower)?.ready));
      this.#tell();
      return announcement;
    } catch (error) {
      if (this.#isStopping) return undefined;
      this.kill();
      throw error;
    }
  }

  /** Has every worker take the configuration into use: one writes it, and only if it could the others hear of it. */
  apply(loaded: LoadedConfig): Promise<Applied> {
    return this.#inTurn(async () => {
      const [first, ...others] = this.#stayingFirst().filter(({ isServing }) => isServing);
      if (!first) return { ok: false, message: 'No worker is there to take it.' };
      const applied = await first.apply(loaded, true);
      if (!applied.ok) return applied;
      this.#loaded = loaded;
      for (const worker of others) await this.#follow(worker);
      return applied;
    });
  }

  /** Has every worker show how a reload ended; one of them writes into the log why it was refused. */
  reloaded({ state, refusal }: Reload): void {
    this.#reload = state;
    const [first, ...others] = this.#stayingFirst().filter(({ isServing }) => isServing);
    first?.reloaded({ state, refusal });
    for (const worker of others) worker.reloaded({ state });
    if (!first && refusal) this.#parts.complain(`${refusal.file} was not applied: ${refusal.reason}`);
  }

  /**
   * Replaces one worker after another: each leaves when its successor serves, and has all the time it needs for its
   * answers. A successor that cannot serve ends it, and the workers that are there go on.
   */
  roll(): Promise<boolean> {
    return this.#inTurn(async () => {
      for (const place of this.#places) {
        // The program may be another one by now, and what its configuration means may be too.
        const writes = place === this.#places[0];
        if (this.#isStopping || !(await this.#replace(place, { writes, announces: false }))) return false;
      }
      return true;
    });
  }

  /** Resolves when all processes are gone. Called again it sets their grace anew. */
  async stop(graceMs?: number): Promise<void> {
    this.#isStopping = true;
    for (const { restart } of this.#places) this.#parts.clock.cancel(restart);
    for (const worker of this.#alive) worker.stop(graceMs);
    await Promise.all([...this.#alive].map(({ gone }) => gone));
  }

  /** Ends all processes as they stand. */
  kill(): void {
    this.#isStopping = true;
    for (const worker of this.#alive) worker.kill();
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** One that finishes its answers may be gone before it has written anything, and may run an older program. */
  #stayingFirst(): readonly Worker[] {
    const staying = this.#places.flatMap(({ worker }) => worker ?? []);
    return [...new Set([...staying, ...this.#alive])];
  }

  async #follow(worker: Worker): Promise<void> {
    const outcome = await worker.apply(this.#loaded, false);
    if (!outcome.ok) this.#parts.complain(`Worker ${worker.number} could not follow: ${outcome.message}`);
  }

  /** Another configuration may have come into use while it started. */
  #catchUp(worker: Worker, began: Pick<WorkerStart, 'loaded' | 'reload'>): Promise<void> {
    return this.#inTurn(async () => {
      if (worker.isServing && began.reload !== this.#reload) worker.reloaded({ state: this.#reload });
      if (worker.isServing && began.loaded !== this.#loaded) await this.#follow(worker);
    });
  }

  async #replace(place: WorkerSlot, role: WorkerDuties): Promise<boolean> {
    const before = place.worker;
    const successor = this.#started(place.number, role);
    try {
      await successor.ready;
    } catch (error) {
      this.#parts.complain(`Worker ${place.number} was not replaced: ${messageOf(error)}`);
      successor.kill();
      return false;
    }
    // It may have died meanwhile, and a replacement of its own may be on its way.
    this.#parts.clock.cancel(place.restart);
    const leaving = new Set([before, place.worker]);
    this.#occupy(place, successor);
    for (const worker of leaving) worker?.retire();
    return true;
  }

  #fill(place: WorkerSlot | undefined, role: WorkerDuties): Worker | undefined {
    if (!place || this.#isStopping) return undefined;
    const worker = this.#started(place.number, role);
    this.#occupy(place, worker);
    return worker;
  }

  #started(number: number, role: WorkerDuties): Worker {
    const { clock, fork, complain, workers, source, arbiter } = this.#parts;
    const start = { number, workers, loaded: this.#loaded, reload: this.#reload, source, ...role };
    const countAll = () => this.#counts.all();
    const worker = new Worker({ clock, process: fork(), start, onWaiting: complain, arbiter, countAll });
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

  /** From now on the end of this worker leaves the place empty, and that of the one before it does not. */
  #occupy(place: WorkerSlot, worker: Worker): void {
    place.worker = worker;
    void worker.vacated.then((how) => {
      if (place.worker !== worker || this.#isStopping) return;
      place.worker = undefined;
      const pauseMs = place.pause.afterMs(worker.servedMs);
      this.#parts.complain(`Worker ${place.number} ended (${how}); another takes its place${within(pauseMs)}.`);
      place.restart = this.#parts.clock.after(pauseMs, () => void this.#fill(place, follower));
    });
  }

  #end(worker: Worker): void {
    const seconds = (unansweredMax * tellEveryMs) / 1000;
    this.#parts.complain(
      `Worker ${worker.number} has said nothing for ${seconds} s: it is stopped or stuck, and is ended.`,
    );
    worker.kill();
  }

  /** Also while all of them stop: one that stands still would keep the others' parent for ever. */
  readonly #tell = (): void => {
    if (this.#isStopping && this.#alive.size === 0) return;
    const { checks, figures } = serviceState(this.#places.map(({ worker }) => worker?.state));
    for (const worker of this.#alive) {
      if (worker.isStuck) this.#end(worker);
      else worker.tell({ checks, figures });
    }
    this.#parts.clock.after(tellEveryMs, this.#tell);
  };
}

function within(pauseMs: number): string {
  return pauseMs === 0 ? ' now' : ` in ${(pauseMs / 1000).toFixed(1)} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
