import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  const goOn = (): void => others.forEach((pid) => void process.kill(pid, 'SIGCONT'));
  await eventually(async () => {
    for (const pid of others) await stopped(pid);
    if (isStoreFree(gateway)) return;
    goOn();
    throw new Error('one of them was in the middle of a commit');
  });
  try {
    return await work();
  } finally {
    goOn();
  }
}

/** Whoever stands still in the middle of a commit keeps everybody else from the store. */
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

/** A signal takes effect a moment after it was sent. */
async function stopped(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await eventually(async () => expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^State:\s+T/m));
}
