import { ReaderWatch } from '../../src/serving/http/slow-client-timeout.ts';
import type { Plan } from './plan.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

/** The default of `limits.reader_stall_timeout`. */
const stallMs = 60_000;

/** How a client reads: the number of sent frames that it has taken, and whether it reads at all. */
export class ClientReading {
  readonly #world: World;
  readonly #machine: Machine;
  readonly #plan: Plan;
  /** As on a real connection, closes the connection of a client that takes nothing for `stallMs`. */
  readonly #watch: ReaderWatch;
  #onDrain: () => void = () => {};
  /** The number of frames sent to the client, and the number that it takes before it stops reading. */
  #sent = 0;
  #takes: number;
  /** Since when the client could read and has received nothing. */
  sinceMs: number;

  constructor(plan: Plan, world: World, machine: Machine, stalled: () => void) {
    this.#plan = plan;
    this.#world = world;
    this.#machine = machine;
    this.#takes = plan.stopsReadingAfter ?? Number.POSITIVE_INFINITY;
    this.sinceMs = world.nowMs;
    this.#watch = new ReaderWatch({ clock: machine.clock, stallMs, taken: () => this.#taken, stalled });
  }

  /** True if the client has taken every frame. */
  get isUpToDate(): boolean {
    return this.#sent <= this.#takes;
  }

  /** Replaces the callback that was set before. */
  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Counts one more frame. Returns true if the client took it. */
  wrote(): boolean {
    this.#sent += 1;
    if (this.isUpToDate) {
      this.sinceMs = this.#world.nowMs;
      return true;
    }
    this.#watch.wrote();
    const { readsOnAfterMs } = this.#plan;
    // The first frame that the client does not take.
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
