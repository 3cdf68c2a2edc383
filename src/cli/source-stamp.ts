import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stampText } from '../core/build-stamp.ts';

/**
 * When the source in a folder was made: the time of its commit, which is the same in every copy of it; that of its
 * newest file where there is no repository.
 */
export function sourceStamp(root: string): string {
  return stampText(commitTime(root) ?? newestChange(join(root, 'src')));
}

const gitTimeoutMs = 2000;

function commitTime(root: string): number | undefined {
  // A repository further up would tell of something else.
  if (!existsSync(join(root, '.git'))) return undefined;
  const asked = ['-C', root, 'log', '-1', '--format=%ct'];
  const { status, stdout } = spawnSync('git', asked, { encoding: 'utf8', timeout: gitTimeoutMs });
  return status === 0 && /^\d+\s*$/.test(stdout) ? Number(stdout) * 1000 : undefined;
}

function newestChange(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((newest, name) => Math.max(newest, statSync(join(folder, name)).mtimeMs), 0);
}
