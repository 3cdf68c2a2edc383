import { setTimeout as delay } from 'node:timers/promises';
import { type CrashOutcome, sendRequest } from './client.ts';
import type { GatewayProcess } from './processes.ts';
import { between, oneOf, seededRandom } from './random.ts';

export interface LoadOptions {
  readonly seed: number;
  readonly clients: number;
  readonly keys: readonly string[];
  /** The gateways that serve at the moment. */
  gateways(): readonly GatewayProcess[];
}

export interface Load {
  /** The outcomes of all ended requests. */
  readonly outcomes: readonly CrashOutcome[];
  resume(): void;
  /** Resolves when `count` more requests have ended. */
  moreOver(count: number): Promise<void>;
  /** Resolves when `count` more answers have ended properly. */
  moreDone(count: number): Promise<void>;
  /** Starts no more requests, and resolves when the running ones have ended. */
  pause(): Promise<void>;
}

const leavingShare = 0.25;
const leavesAfterMsMax = 400;
const pauseMs = 10;

/** Clients that send one request after another to random gateways with random keys. Some disconnect early. */
export function load({ seed, clients, keys, gateways }: LoadOptions): Load {
  const outcomes: CrashOutcome[] = [];
  const state = { isRunning: false };
  let running: Promise<unknown> = Promise.resolve();
  let round = 0;

  async function client(name: string): Promise<void> {
    const random = seededRandom(seed, 'client', name);
    for (let count = 0; state.isRunning; count += 1) {
      const serving = gateways();
      if (serving.length === 0) {
        await delay(pauseMs);
        continue;
      }
      const leavesAfterMs = random() < leavingShare ? between(random, 0, leavesAfterMsMax) : undefined;
      const tag = `${name}-${count}`;
      outcomes.push(
        await sendRequest({ tag, gateway: oneOf(random, serving), key: oneOf(random, keys), leavesAfterMs }),
      );
    }
  }

  return {
    outcomes,
    resume() {
      state.isRunning = true;
      round += 1;
      running = Promise.all(Array.from({ length: clients }, (_, index) => client(`t${round}-${index}`)));
    },
    async moreOver(count) {
      for (const wanted = outcomes.length + count; outcomes.length < wanted; ) await delay(pauseMs);
    },
    async moreDone(count) {
      const done = (): number => outcomes.filter(({ isDone }) => isDone).length;
      for (const wanted = done() + count; done() < wanted; ) await delay(pauseMs);
    },
    async pause() {
      state.isRunning = false;
      await running;
    },
  };
}
