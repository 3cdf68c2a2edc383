import type { Arbiter, ArbiterReply, Report } from '../../../src/platform/cluster/arbiter.ts';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';

/** How messages travel between gateways and their arbiter. */
export interface NetworkMood {
  /** The longest time of a message. */
  readonly latencyMs: number;
  /** The share of messages that are never delivered. */
  readonly lossShare: number;
}

/** Connects machines to an arbiter. A message may be late, overtaken or lost, without an error. */
export class Network {
  mood: NetworkMood;
  isArbiterDown = false;
  readonly #world: World;
  readonly #arbiter: Arbiter;

  constructor(world: World, arbiter: Arbiter, mood: NetworkMood) {
    this.#world = world;
    this.#arbiter = arbiter;
    this.mood = mood;
  }

  from(machine: Machine, isDisconnected: () => boolean): Arbiter {
    const send = (work: () => void): void => {
      if (this.isArbiterDown || isDisconnected() || this.#world.random() < this.mood.lossShare) return;
      this.#world.after(this.mood.latencyMs * this.#world.random(), work);
    };
    const sendBack = (work: () => void): void => send(() => machine.deliver(work));
    return {
      report: (report) =>
        new Promise<ArbiterReply>((resolve, reject) => {
          send(() => {
            if (this.isArbiterDown) return;
            this.#exchange(report).then(
              (reply) => sendBack(() => resolve(reply)),
              (error: unknown) => sendBack(() => reject(error)),
            );
          });
        }),
      leave: (process) => this.#arbiter.leave(process),
      subscribe: (listener) => this.#arbiter.subscribe((processes) => sendBack(() => listener(processes))),
      overview: () => this.#arbiter.overview(),
    };
  }

  /** Copies both messages, as a real connection does. */
  async #exchange(report: Report): Promise<ArbiterReply> {
    const reply = await this.#arbiter.report(JSON.parse(JSON.stringify(report)) as Report);
    return JSON.parse(JSON.stringify(reply)) as ArbiterReply;
  }
}
