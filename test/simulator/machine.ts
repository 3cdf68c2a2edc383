import type { Clock, Timer } from '../../src/core/clock.ts';
import type { Happening, World } from './world.ts';

/** Virtual time begins half a minute before noon, which is midnight at the other end of the world: the wall clock of all machines. */
export const epochMs = Date.UTC(2026, 0, 15, 11, 59, 30);

interface MachineTimer extends Timer {
  happening: Happening | undefined;
}

/**
 * A process as the world sees it: it runs, stands still like one that was stopped, or is dead. Whatever reaches it from
 * outside (time, the store, providers, clients) goes through `deliver`; to a dead one nothing does.
 */
export class Machine {
  readonly name: string;
  readonly #world: World;
  readonly #backlog: (() => void)[] = [];
  state: 'running' | 'frozen' | 'dead' = 'running';
  /** When it last stood still or could not reach the store: until it had time to recover it is nobody's measure. */
  troubledMs = Number.NEGATIVE_INFINITY;
  diedMs: number | undefined;
  /** Since when it stood still, the last time it did, and when it went on. */
  stillMs = { from: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  readonly clock: Clock;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.clock = {
      now: () => epochMs + world.nowMs,
      elapsed: () => world.look(),
      after: (delayMs, work) => {
        // Its time may have come while the machine stood still: then it can be called off until it is looked at.
        const timer: MachineTimer = { happening: undefined, unref() {} };
        timer.happening = world.afterAbout(delayMs, () => {
          this.deliver(() => {
            if (timer.happening?.work) work();
          });
        });
        return timer;
      },
      cancel: (timer) => {
        const happening = (timer as MachineTimer | undefined)?.happening;
        if (happening) happening.work = undefined;
      },
    };
  }

  deliver(work: () => void): void {
    if (this.state === 'running') work();
    else if (this.state === 'frozen') this.#backlog.push(work);
  }

  /** Resolves after the time, if the process still lives. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#world.after(delayMs, () => this.deliver(resolve)));
  }

  /** Stands still for so long, or until it thaws. */
  freeze(forMs?: number): void {
    if (this.state !== 'running') return;
    this.state = 'frozen';
    this.troubledMs = this.#world.nowMs;
    this.stillMs = { from: this.#world.nowMs, until: Number.POSITIVE_INFINITY };
    if (forMs !== undefined) this.#world.after(forMs, () => this.thaw());
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    this.troubledMs = this.#world.nowMs;
    this.stillMs = { ...this.stillMs, until: this.#world.nowMs };
    // One after another, as an event loop would: what one of them sets off comes before the next.
    for (const [index, work] of this.#backlog.splice(0).entries()) {
      this.#world.after(index * 0.01, () => this.deliver(work));
    }
  }

  die(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.diedMs = this.#world.nowMs;
    this.#backlog.length = 0;
  }
}
