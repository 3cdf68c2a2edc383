import type { StoreChange, ChangeFeed } from '../../src/platform/cluster/change-feed.ts';
import type { Machine } from './machine.ts';
import type { World } from './world.ts';

type Listener = Parameters<ChangeFeed['subscribe']>[0];

/** A change arrives up to this late, as with a feed that polls. */
const pollMs = 500;

/** The change feed of a world. All machines receive a change, each after a delay of its own. */
export class ChangeBus {
  readonly #world: World;
  readonly #listeners: { readonly machine: Machine; readonly listener: Listener }[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** Sends a change to all machines, also from outside of them. */
  broadcast(topic: StoreChange['topic'], subject: string): void {
    for (const each of this.#listeners) {
      const delayMs = this.#world.random() * pollMs;
      this.#world.after(delayMs, () => each.machine.deliver(() => each.listener([{ topic, subject }])));
    }
  }

  feed(machine: Machine): Pick<ChangeFeed, 'subscribe' | 'publish'> {
    return {
      publish: async (_db, topic, subject) => {
        await machine.wait(1);
        this.broadcast(topic, subject);
      },
      subscribe: (listener) => {
        this.#listeners.push({ machine, listener });
        return () => {};
      },
    };
  }
}
