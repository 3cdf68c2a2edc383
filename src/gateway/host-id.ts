import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { HostId } from '../cluster/arbiter.ts';

export function ownHostId(worker: number | undefined): HostId {
  return { machine: ownMachine(), pid: process.pid, worker };
}

/**
 * Whether a process has certainly ended, and with it all its connections. True only for a process of this machine,
 * since the last boot and in the same pid namespace, whose pid is free.
 */
export function isGone({ machine, pid }: HostId): boolean {
  if (!machine.includes(separator) || machine !== ownMachine()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Part of every machine id that is globally unique. */
const separator = ' · ';

/** Without a boot id the machine id is only the host name, and `isGone` returns false for every process. */
function ownMachine(): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [hostname(), start, readlinkSync('/proc/self/ns/pid')].join(separator);
  } catch {
    return hostname();
  }
}
