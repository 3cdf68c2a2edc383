import type { Arbiter, ArbiterReply, Report } from '../../../src/cluster/arbiter.ts';
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
  isArbiterAway = false;
  readonly #world: World;
  readonly #arbiter: Arbiter;

  constructor(world: World, arbiter: Arbiter, mood: NetworkMood) {
    this.#world = world;
    this.#arbiter = arbiter;
    this.mood = mood;
  }

  from(machine: Machine, isCutOff: () => boolean): Arbiter {
    const way = (work: () => void): void => {
      if (this.isArbiterAway || isCutOff() || this.#world.random() < this.mood.lossShare) return;
      this.#world.after(this.mood.latencyMs * this.#world.random(), work);
    };
    const back = (work: () => void): void => way(() => machine.deliver(work));
    return {
      report: (report) =>
        new Promise<ArbiterReply>((resolve, reject) => {
          way(() => {
            if (this.isArbiterAway) return;
            this.#hear(report).then(
              (reply) => back(() => resolve(reply)),
              (error: unknown) => back(() => reject(error)),
            );
          });
        }),
      leave: (process) => this.#arbiter.leave(process),
      subscribe: (listener) => this.#arbiter.subscribe((processes) => back(() => listener(processes))),
      overview: () => this.#arbiter.overview(),
    };
  }

  /** Copies both messages, as a real connection does. */
  async #hear(report: Report): Promise<ArbiterReply> {
    const reply = await this.#arbiter.report(JSON.parse(JSON.stringify(report)) as Report);
    return JSON.parse(JSON.stringify(reply)) as ArbiterReply;
  }
}
