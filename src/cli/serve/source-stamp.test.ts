import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stampBuild } from '../../../scripts/stamp-build.ts';
import { sourceStamp } from './source-stamp.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gateway-source-'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/one.ts'), '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function commit(date: string): void {
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  execFileSync('git', ['-C', root, ...who, 'commit', '-q', '--allow-empty', '-m', 'a change'], { env });
}

test('source in a repository has the time of its commit, not of its files', () => {
  execFileSync('git', ['-C', root, 'init', '-q']);
  commit('2026-03-04T05:06:07Z');
  expect(sourceStamp(root)).toBe('20260304-050607');
  commit('2026-03-05T00:00:00+0200');
  expect(sourceStamp(root)).toBe('20260304-220000');
});

test('source without a repository has the time of its newest file', () => {
  utimesSync(join(root, 'src'), 0, 0);
  utimesSync(join(root, 'src/one.ts'), 0, Date.UTC(2026, 4, 6, 7, 8, 9) / 1000);
  expect(sourceStamp(root)).toBe('20260506-070809');
});

test('a build has the stamp of its source', () => {
  const dist = join(root, 'dist');
  mkdirSync(join(dist, 'core'), { recursive: true });
  const built = readFileSync(join(import.meta.dirname, '../../core/build-stamp.ts'), 'utf8');
  writeFileSync(join(dist, 'core/build-stamp.js'), built);
  const stamp = stampBuild(root, dist);
  expect(stamp).toBe(sourceStamp(root));
  expect(readFileSync(join(dist, 'core/build-stamp.js'), 'utf8')).toContain(`buildStamp = '${stamp}'`);
  expect(() => stampBuild(root, dist)).toThrow('npm run build');
});
