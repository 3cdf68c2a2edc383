import type { Clock, Timer } from '../../src/core/time/clock.ts';
import type { ScheduledEvent, World } from './world.ts';

/** The wall clock of all machines starts 30 s before noon UTC, which is midnight in the time zone UTC+12. */
export const epochMs = Date.UTC(2026, 0, 15, 11, 59, 30);

interface MachineTimer extends Timer {
  event: ScheduledEvent | undefined;
}

/**
 * A process of a world: running, frozen like a stopped process, or dead. Everything from outside (timers, the store,
 * providers, clients) goes through `deliver`. A dead process receives nothing.
 */
export class Machine {
  readonly name: string;
  readonly #world: World;
  readonly #backlog: (() => void)[] = [];
  state: 'running' | 'frozen' | 'dead' = 'running';
  /** When it last froze, thawed or could not reach the store. Some rules do not apply until it had time to recover. */
  lastFaultMs = Number.NEGATIVE_INFINITY;
  diedMs: number | undefined;
  /** How far its wall clock is ahead of the others. */
  aheadMs = 0;
  /** When it last froze, and when it thawed. */
  frozenMs = { from: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  readonly clock: Clock;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.clock = {
      now: () => epochMs + world.nowMs + world.offMs + this.aheadMs,
      elapsed: () => world.readClock(),
      after: (delayMs, work) => {
        // A timer may expire while the machine is frozen. It can be cancelled until its work runs after the thaw.
        const timer: MachineTimer = { event: undefined, unref() {} };
        timer.event = world.afterAbout(delayMs, () => {
          this.deliver(() => {
            if (timer.event?.work) work();
          });
        });
        return timer;
      },
      cancel: (timer) => {
        const event = (timer as MachineTimer | undefined)?.event;
        if (event) event.work = undefined;
      },
    };
  }

  deliver(work: () => void): void {
    if (this.state === 'running') work();
    else if (this.state === 'frozen') this.#backlog.push(work);
  }

  /** Resolves after `delayMs`, and never if the process is dead by then. */
  wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#world.after(delayMs, () => this.deliver(resolve)));
  }

  /** Freezes the process for `forMs`, or until `thaw`. */
  freeze(forMs?: number): void {
    if (this.state !== 'running') return;
    this.state = 'frozen';
    this.lastFaultMs = this.#world.nowMs;
    this.frozenMs = { from: this.#world.nowMs, until: Number.POSITIVE_INFINITY };
    if (forMs !== undefined) this.#world.after(forMs, () => this.thaw());
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    this.lastFaultMs = this.#world.nowMs;
    this.frozenMs = { ...this.frozenMs, until: this.#world.nowMs };
    // One after another, as in an event loop: the effects of one come before the next.
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
