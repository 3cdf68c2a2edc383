import { readdirSync, readFileSync } from 'node:fs';

/** The unit of CPU time in /proc on Linux. */
export const ticksPerSecond = 100;

/** Usage of a process and of all processes in its group. */
export interface ProcessUsage {
  /** In ticks, the unit of /proc. */
  readonly cpuTicks: number;
  readonly residentKilobytes: number;
  /** Peak of resident memory. Each process counts with its own peak. */
  readonly peakKilobytes: number;
}

/** Sums over the group, because a launcher or a master process does not do the work itself. */
export function groupUsage(leaderPid: number): ProcessUsage {
  const members = groupMembers(leaderPid).map((pid) => ({ pid, stat: readStat(pid) }));
  const sum = (of: (member: ProcessMember) => number) => members.reduce((total, member) => total + of(member), 0);
  return {
    cpuTicks: sum(({ stat }) => Number(stat[statField.userTicks]) + Number(stat[statField.systemTicks])),
    residentKilobytes: sum(({ pid }) => readStatus(pid, 'VmRSS')),
    peakKilobytes: sum(({ pid }) => readStatus(pid, 'VmHWM')),
  };
}

/**
 * CPU of a process and of all its descendants, including those that have exited. For programs whose processes lead
 * their own groups.
 */
export function treeTicks(rootPid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, stat: readStat(pid) }));
  const ticksOf = ({ stat }: ProcessMember): number =>
    [statField.userTicks, statField.systemTicks, statField.userTicks + 2, statField.systemTicks + 2].reduce(
      (sum, field) => sum + Number(stat[field] ?? 0),
      0,
    );
  const below = (pid: string): number =>
    all
      .filter(({ stat }) => stat[statField.parent] === pid)
      .reduce((sum, child) => sum + ticksOf(child) + below(child.pid), 0);
  const root = all.find(({ pid }) => pid === String(rootPid));
  return (root ? ticksOf(root) : 0) + below(String(rootPid));
}

export function groupMembers(leaderPid: number): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => Number(readStat(pid)[statField.group]) === leaderPid);
}

interface ProcessMember {
  readonly pid: string;
  readonly stat: readonly string[];
}

/** Positions in /proc/PID/stat, counted after the command's name, which may contain blanks. */
const statField = { parent: 1, group: 2, userTicks: 11, systemTicks: 12 };

function readStat(pid: string): readonly string[] {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readStatus(pid: string, field: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0);
}

function readProc(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // The process exited between the listing and the read.
    return '';
  }
}
