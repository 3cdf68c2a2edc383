import { readdirSync, readFileSync } from 'node:fs';

/** Of the CPU time that /proc tells, on every Linux there is. */
export const ticksPerSecond = 100;

/** What a process and everything it started in its group have used. */
export interface ProcessUsage {
  /** In the units of /proc: ticks. */
  readonly cpuTicks: number;
  readonly residentKilobytes: number;
  /** The most that was ever resident, each process at its own worst moment. */
  readonly peakKilobytes: number;
}

/** Sums over the group because a launcher or a master process is not the one that does the work. */
export function groupUsage(leaderPid: number): ProcessUsage {
  const members = groupMembers(leaderPid).map((pid) => ({ pid, stat: readStat(pid) }));
  const sum = (of: (member: Member) => number) => members.reduce((total, member) => total + of(member), 0);
  return {
    cpuTicks: sum(({ stat }) => Number(stat[statField.userTicks]) + Number(stat[statField.systemTicks])),
    residentKilobytes: sum(({ pid }) => readStatus(pid, 'VmRSS')),
    peakKilobytes: sum(({ pid }) => readStatus(pid, 'VmHWM')),
  };
}

/** CPU of a process and of all that it and they have started, also of those that are over: for programs whose processes lead groups of their own. */
export function treeTicks(rootPid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid, stat: readStat(pid) }));
  const ticksOf = ({ stat }: Member): number =>
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

/** The processes of a group. */
export function groupMembers(leaderPid: number): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => Number(readStat(pid)[statField.group]) === leaderPid);
}

interface Member {
  readonly pid: string;
  readonly stat: readonly string[];
}

/** Positions in /proc/PID/stat, counted after the command's name, which may itself contain blanks. */
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
    // The process ended between the listing and the reading.
    return '';
  }
}
