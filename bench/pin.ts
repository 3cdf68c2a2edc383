import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { groupMembers } from './process-usage.ts';

/**
 * Puts a process group on the last core and leaves the others to the load and the upstream, so that a proxy's work, its
 * threads included, is measured on one core and not by what the load leaves of it. Where that cannot be done nothing is.
 */
export function pinProxy(leaderPid: number): void {
  if (cores > 1) pin(leaderPid, String(cores - 1));
}

export function pinLoad(pid: number): void {
  if (cores > 1) pin(pid, `0-${cores - 2}`);
}

/** Lets a process group run on every core: where several processes share the machine, none of it is set aside. */
export function unpin(pid: number): void {
  pin(pid, `0-${cores - 1}`);
}

const cores = availableParallelism();

function pin(leaderPid: number, list: string): void {
  for (const pid of groupMembers(leaderPid)) spawnSync('taskset', ['-a', '-c', '-p', list, pid], { stdio: 'ignore' });
}
