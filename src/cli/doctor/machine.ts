import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config/config.ts';
import { workersIn } from '../../config/workers.ts';
import { clientsWithin, descriptorsMax } from '../../telemetry/descriptors.ts';
import { sizeText } from '../size-text.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

/** What the machine gives the process. */
export interface MachineFacts {
  /** Bytes that are free where the data is, and the share of files that may still be made. */
  readonly disk: { readonly freeBytes: number; readonly freeFiles: number };
  /** How many descriptors a process may have; `undefined` where that is not said. */
  readonly descriptorsMax: number | undefined;
  /** What memory there is, and whether that is a limit of the container. */
  readonly memory: { readonly bytes: number; readonly isLimited: boolean };
}

export async function machineFacts(data: string): Promise<MachineFacts> {
  const { bavail, bsize, files, ffree } = await statfs(existing(data));
  const total = totalmem();
  // The limit of the control group, v1 or v2; something beyond the machine where there is none.
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
/** What one process takes at rest, and what answers need beside. */
const processBytes = 130e6;
const roomBytes = 256e6;

export function machineFindings(facts: MachineFacts, config: Config): readonly DoctorFinding[] {
  return [...diskFindings(facts, config.data), ...descriptorFindings(facts, config), ...memoryFindings(facts, config)];
}

function diskFindings({ disk: { freeBytes, freeFiles } }: MachineFacts, data: string): readonly DoctorFinding[] {
  const fix = `Make room on the disk of ${data}, or name another folder with \`data:\`. Without room requests get 503 rather than be lost.`;
  if (freeBytes < fullBytes) return [problem('disk', `${sizeText(freeBytes)} are left for charges and journals.`, fix)];
  if (freeFiles < tightFiles) return [problem('disk', 'Hardly any file can be made there any more (inodes).', fix)];
  if (freeBytes < tightBytes)
    return [warning('disk', `${sizeText(freeBytes)} are left for charges and journals.`, fix)];
  return [ok('disk', `${sizeText(freeBytes)} are free.`)];
}

/** As docs/operations.md says: connections, two for each answer, and what the process itself has open. */
export function descriptorsNeeded(config: Config): number {
  return config.limits.connectionsMax + 2 * callsAtOnce(config) + 200;
}

function callsAtOnce({ upstreams }: Config): number {
  return upstreams.reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
}

function descriptorFindings({ descriptorsMax: most }: MachineFacts, config: Config): readonly DoctorFinding[] {
  if (most === undefined) return [ok('descriptors', 'This system does not say how many a process may have.')];
  const needed = descriptorsNeeded(config);
  if (most >= needed) return [ok('descriptors', `${most} are allowed, ${needed} may be needed.`)];
  const fix = `Allow ${needed} (LimitNOFILE=${needed} in systemd, ulimit -n ${needed} in a shell), or lower \`limits.connections_max\`.`;
  const clients = clientsWithin(most, callsAtOnce(config));
  const says = `Only ${most} are allowed, and ${needed} may be needed: ${clients} clients may be connected, more are told 503.`;
  return [most < 1024 ? problem('descriptors', says, fix) : warning('descriptors', says, fix)];
}

function memoryFindings({ memory: { bytes, isLimited } }: MachineFacts, config: Config): readonly DoctorFinding[] {
  const workers = workersIn(config);
  const needed = processBytes * workers + roomBytes;
  const whose = isLimited ? 'The container may use' : 'The machine has';
  const many = workers === 1 ? 'one process' : `${workers} processes`;
  if (bytes >= needed) return [ok('memory', `${whose} ${sizeText(bytes)}, for ${many}.`)];
  const says = `${whose} ${sizeText(bytes)}, and ${many} should have ${sizeText(needed)}.`;
  return [
    warning('memory', says, isLimited ? 'Raise the limit, or lower `workers`.' : 'Lower `workers`, or give it more.'),
  ];
}

/** The folder itself, or the nearest above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}
