import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** A Node of this machine that is older than the gateway needs. */
export function findOldNode(): string | undefined {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/bin',
    '/usr/local/bin',
    dirname(process.execPath),
  ];
  return folders
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file) && Number.parseInt(versionOf(file), 10) < 24);
}

function versionOf(file: string): string {
  return execFileSync(file, ['--version'], { encoding: 'utf8' }).slice(1);
}
