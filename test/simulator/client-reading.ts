import { ReaderWatch } from '../../src/http/slow-client-timeout.ts';
import type { Plan } from './plan.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

/** The default of `limits.reader_stall_timeout`. */
const stallMs = 60_000;

/** How a client reads: what it has taken of what was sent, and whether it reads at all. */
export class ClientReading {
  readonly #world: World;
  readonly #machine: Machine;
  readonly #plan: Plan;
  /** As on a real connection: a reader that takes nothing is let go after a while. */
  readonly #watch: ReaderWatch;
  #onDrain: () => void = () => {};
  /** How many frames it was sent, and how many it would take. */
  #sent = 0;
  #takes: number;
  /** Since when it could read, and has heard nothing. */
  sinceMs: number;

  constructor(plan: Plan, world: World, machine: Machine, stalled: () => void) {
    this.#plan = plan;
    this.#world = world;
    this.#machine = machine;
    this.#takes = plan.stopsReadingAfter ?? Number.POSITIVE_INFINITY;
    this.sinceMs = world.nowMs;
    this.#watch = new ReaderWatch({ clock: machine.clock, stallMs, taken: () => this.#taken, stalled });
  }

  /** Whether there is nothing that it has not taken. */
  get isUpToDate(): boolean {
    return this.#sent <= this.#takes;
  }

  /** For the last one who asked. */
  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Something was sent. Returns whether it was taken. */
  wrote(): boolean {
    this.#sent += 1;
    if (this.isUpToDate) {
      this.sinceMs = this.#world.nowMs;
      return true;
    }
    this.#watch.wrote();
    const { readsOnAfterMs } = this.#plan;
    // The first that it does not take.
    if (readsOnAfterMs !== undefined && this.#sent === this.#takes + 1)
      this.#world.after(readsOnAfterMs, () => this.#machine.deliver(() => this.#readOn()));
    return false;
  }

  over(): void {
    this.#watch.drained();
    this.#onDrain = () => {};
  }

  get #taken(): number {
    return Math.min(this.#sent, this.#takes);
  }

  #readOn(): void {
    this.#takes = Number.POSITIVE_INFINITY;
    this.sinceMs = this.#world.nowMs;
    this.#watch.drained();
    this.#onDrain();
  }
}
