import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { childrenOf, type ServedGateway } from './served-gateway.ts';

/** The processes that serve for a gateway, oldest first. */
export function workersOf({ pid }: Pick<ServedGateway, 'pid'>): Promise<readonly number[]> {
  return childrenOf(pid);
}

/**
 * Does something while only one of the workers runs, so that it is certain who serves whom: connections are accepted by
 * whoever is awake.
 */
export async function whileAlone<Result>(
  gateway: ServedGateway,
  worker: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const others = (await workersOf(gateway)).filter((pid) => pid !== worker);
  for (const pid of others) await stopped(pid);
  try {
    return await work();
  } finally {
    for (const pid of others) process.kill(pid, 'SIGCONT');
  }
}

/** A signal takes effect a moment after it was sent. */
async function stopped(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(async () => expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^State:\s+T/m));
}
