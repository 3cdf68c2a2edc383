import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';

/** How many processes the configuration asks for: `auto` is one for each core that this process may use. */
export function workersIn({ workers }: Pick<Config, 'workers'>): number {
  return workers === 'auto' ? availableParallelism() : workers;
}
