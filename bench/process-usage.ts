import { readdirSync, readFileSync } from 'node:fs';

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
const statField = { group: 2, userTicks: 11, systemTicks: 12 };

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
