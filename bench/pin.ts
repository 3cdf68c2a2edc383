import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { groupMembers } from './process-usage.ts';

/**
 * Pins a process group to the last core and leaves the other cores to the load and the upstream. A proxy with all its
 * threads is then measured on one core, independent of the load. Does nothing if pinning is not possible.
 */
export function pinProxy(leaderPid: number): void {
  if (cores > 1) pin(leaderPid, String(cores - 1));
}

export function pinLoad(pid: number): void {
  if (cores > 1) pin(pid, `0-${cores - 2}`);
}

/** Lets a process group run on every core, for measurements in which several processes share the machine. */
export function unpin(pid: number): void {
  pin(pid, `0-${cores - 1}`);
}

const cores = availableParallelism();

function pin(leaderPid: number, list: string): void {
  for (const pid of groupMembers(leaderPid)) spawnSync('taskset', ['-a', '-c', '-p', list, pid], { stdio: 'ignore' });
}
