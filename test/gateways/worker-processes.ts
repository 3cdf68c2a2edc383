import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { childrenOf, type ServedGateway } from './served-gateway.ts';

/** The worker processes of a gateway, oldest first. */
export function workersOf({ pid }: Pick<ServedGateway, 'pid'>): Promise<readonly number[]> {
  return childrenOf(pid);
}

/**
 * Stops all workers but one during `work`, so that this one serves every request. Any running worker may accept a
 * connection.
 */
export async function whileAlone<Result>(
  gateway: ServedGateway,
  worker: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const others = (await workersOf(gateway)).filter((pid) => pid !== worker);
  const resumeOthers = (): void => others.forEach((pid) => void process.kill(pid, 'SIGCONT'));
  await eventually(async () => {
    for (const pid of others) await stop(pid);
    if (isStoreFree(gateway)) return;
    resumeOthers();
    throw new Error('a worker was stopped in the middle of a commit');
  });
  try {
    return await work();
  } finally {
    resumeOthers();
  }
}

/** A worker that is stopped in the middle of a commit blocks the store for all others. */
function isStoreFree({ directory }: ServedGateway): boolean {
  const path = join(directory, 'data/gateway.db');
  if (!existsSync(path)) return true;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('begin immediate');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** Stops a process and waits until it has stopped: a signal takes effect with a delay. */
async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(async () => expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^State:\s+T/m));
}
