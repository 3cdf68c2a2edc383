import { readdirSync, readFileSync } from 'node:fs';

/** What a process and everything it started in its group have used, in the units of /proc: ticks and pages. */
export interface ProcessUsage {
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** Sums over the group because a launcher or a master process is not the one that does the work. */
export function groupUsage(leaderPid: number): ProcessUsage {
  const members = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((fields) => Number(fields[statField.group]) === leaderPid);
  const sum = (field: number) => members.reduce((total, fields) => total + Number(fields[field]), 0);
  return { cpuTicks: sum(statField.userTicks) + sum(statField.systemTicks), residentPages: sum(statField.pages) };
}

/** Positions in /proc/PID/stat, counted after the command's name, which may itself contain blanks. */
const statField = { group: 2, userTicks: 11, systemTicks: 12, pages: 21 };

function readStat(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // The process ended between the listing and the reading.
    return [];
  }
}
