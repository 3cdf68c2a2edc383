import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { HostId } from '../cluster/arbiter.ts';

/** Where this process runs. */
export function ownHostId(worker: number | undefined): HostId {
  return { machine: ownMachine(), pid: process.pid, worker };
}

/**
 * Whether a process is gone for certain: one of this machine, since it was last started and in the same space of process
 * ids, whose id nobody has. With it went every connection it had.
 */
export function isGone({ machine, pid }: HostId): boolean {
  if (!machine.includes(surely) || machine !== ownMachine()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Marks a name that no other machine can have. */
const surely = ' · ';

/** Where the system does not say which start of which machine this is, nobody is ever taken for a peer. */
function ownMachine(): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), start, readlinkSync('/proc/self/ns/pid')].join(surely);
  } catch {
    return hostname();
  }
}
