import { idle } from './cluster/idle.ts';
import { stopped } from './cluster/stopped.ts';
import { families } from './families/all.ts';
import type { SharedStore } from './shared-store.ts';
import { simulate, type Verdict } from './simulate.ts';

/** Worlds of gateways that only share slots. Of a gateway, they run the leases, queues and calls. */
const clusters: Readonly<Record<string, (seed: number) => Promise<Verdict>>> = { idle, stopped };

export const worldNames: readonly string[] = [...Object.keys(families), ...Object.keys(clusters)];

/** Plays one world of a family: of whole gateways, or of gateways that only share slots. */
export function playWorld(store: SharedStore, name: string, seed: number): Promise<Verdict> {
  const family = families[name];
  if (family) return simulate(store, family, seed);
  const cluster = clusters[name];
  if (!cluster) throw new RangeError(`Unknown family: ${name}`);
  return cluster(seed);
}
