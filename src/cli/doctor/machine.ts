import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { workersIn } from '../../platform/config/schema/workers.ts';
import { clientsWithin, descriptorsMax } from '../../operate/telemetry/descriptors.ts';
import { sizeText } from '../store/size-text.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

export interface MachineFacts {
  /** Free bytes on the disk of the data folder, and the share of free inodes. */
  readonly disk: { readonly freeBytes: number; readonly freeFiles: number };
  /** Descriptor limit of a process; `undefined` if the system does not report one. */
  readonly descriptorsMax: number | undefined;
  /** Available memory, and whether it is a limit of the container. */
  readonly memory: { readonly bytes: number; readonly isLimited: boolean };
}

export async function machineFacts(data: string): Promise<MachineFacts> {
  const { bavail, bsize, files, ffree } = await statfs(existing(data));
  const total = totalmem();
  // The limit of the control group, v1 or v2. Without one, the value exceeds the memory of the machine.
  const limit = process.constrainedMemory();
  const isLimited = limit > 0 && limit < total;
  return {
    disk: { freeBytes: bavail * bsize, freeFiles: files === 0 ? 1 : ffree / files },
    descriptorsMax: descriptorsMax(),
    memory: { bytes: isLimited ? limit : total, isLimited },
  };
}

const tightBytes = 1e9;
const fullBytes = 100e6;
const tightFiles = 0.05;
/** Memory of one idle process, and memory for answers. */
const processBytes = 130e6;
const roomBytes = 256e6;

export function machineFindings(facts: MachineFacts, config: Config): readonly DoctorFinding[] {
  return [...diskFindings(facts, config.data), ...descriptorFindings(facts, config), ...memoryFindings(facts, config)];
}

function diskFindings({ disk: { freeBytes, freeFiles } }: MachineFacts, data: string): readonly DoctorFinding[] {
  const fix = `Free space on the disk of ${data}, or set another folder with \`data:\`. On a full disk, requests get 503 instead of being lost.`;
  if (freeBytes < fullBytes) return [problem('disk', `${sizeText(freeBytes)} free for charges and journals.`, fix)];
  if (freeFiles < tightFiles) return [problem('disk', `Less than ${100 * tightFiles} % of the inodes are free.`, fix)];
  if (freeBytes < tightBytes) return [warning('disk', `${sizeText(freeBytes)} free for charges and journals.`, fix)];
  return [ok('disk', `${sizeText(freeBytes)} free.`)];
}

/** As in docs/operations.md: connections, two per answer, and 200 for the process itself. */
export function descriptorsNeeded(config: Config): number {
  return config.limits.connectionsMax + 2 * callsAtOnce(config) + 200;
}

function callsAtOnce({ upstreams }: Config): number {
  return upstreams.reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
}

function descriptorFindings({ descriptorsMax: most }: MachineFacts, config: Config): readonly DoctorFinding[] {
  if (most === undefined) return [ok('descriptors', 'This system does not report a descriptor limit.')];
  const needed = descriptorsNeeded(config);
  if (most >= needed) return [ok('descriptors', `The limit is ${most}, and up to ${needed} may be needed.`)];
  const fix = `Raise the limit to ${needed} (LimitNOFILE=${needed} in systemd, ulimit -n ${needed} in a shell), or lower \`limits.connections_max\`.`;
  const clients = clientsWithin(most, callsAtOnce(config));
  const says = `The limit is only ${most}, and up to ${needed} may be needed: ${clients} clients can connect, further ones get 503.`;
  return [most < 1024 ? problem('descriptors', says, fix) : warning('descriptors', says, fix)];
}

function memoryFindings({ memory: { bytes, isLimited } }: MachineFacts, config: Config): readonly DoctorFinding[] {
  const workers = workersIn(config);
  const needed = processBytes * workers + roomBytes;
  const subject = isLimited ? 'The container limit is' : 'The machine has';
  const many = workers === 1 ? 'one process' : `${workers} processes`;
  if (bytes >= needed) return [ok('memory', `${subject} ${sizeText(bytes)}, for ${many}.`)];
  const says = `${subject} ${sizeText(bytes)}, but ${many} should have ${sizeText(needed)}.`;
  return [
    warning('memory', says, isLimited ? 'Raise the limit, or lower `workers`.' : 'Lower `workers`, or add memory.'),
  ];
}

/** The folder itself, or its nearest existing parent. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}
