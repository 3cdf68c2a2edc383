import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';

/** The number of processes in the configuration. `auto` is one for each core that this process may use. */
export function workersIn({ workers }: Pick<Config, 'workers'>): number {
  return workers === 'auto' ? availableParallelism() : workers;
}
