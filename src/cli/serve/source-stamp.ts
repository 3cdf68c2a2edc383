import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatStamp } from '../../core/build-stamp.ts';

/**
 * The time of the source in a folder: the time of its commit, which is the same in every copy. Without a repository,
 * the time of its newest file.
 */
export function sourceStamp(root: string): string {
  return formatStamp(
    commitTime(root) ?? Math.max(...['src', 'packages'].map((name) => newestChange(join(root, name)))),
  );
}

const gitTimeoutMs = 2000;

function commitTime(root: string): number | undefined {
  // A repository in a parent folder would return the time of another project.
  if (!existsSync(join(root, '.git'))) return undefined;
  const args = ['-C', root, 'log', '-1', '--format=%ct'];
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', timeout: gitTimeoutMs });
  return status === 0 && /^\d+\s*$/.test(stdout) ? Number(stdout) * 1000 : undefined;
}

function newestChange(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((newest, name) => Math.max(newest, statSync(join(folder, name)).mtimeMs), 0);
}
