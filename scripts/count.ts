import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// Usage: node scripts/count.ts [GIT-REF]
// Prints the lines and files of the project, and the number of packages that an installation gets. With a ref, also the
// difference to that commit.
const [ref] = process.argv.slice(2);

interface Size {
  readonly files: number;
  readonly lines: number;
}

/** A file belongs to the first part that matches its path. */
const parts: Readonly<Record<string, RegExp>> = {
  tests: /^test\/.*\.ts$|^(?:src|dashboard|scripts|bench)\/(?:.*\.(?:test|spec)\.tsx?|(?:.*\/)?fixtures\/.*\.tsx?)$/,
  source: /^src\/.*\.ts$/,
  dashboard: /^dashboard\/.*\.(?:tsx?|js|css|html)$/,
};

const root = new URL('..', import.meta.url);
const nothing: Size = { files: 0, lines: 0 };
const nameWidth = 11;

const sizes = sizesAt(undefined);
const before = ref === undefined ? undefined : sizesAt(ref);
for (const name of ['source', 'tests', 'dashboard']) {
  const { files, lines } = sizes[name] ?? nothing;
  const { files: filesBefore, lines: linesBefore } = before?.[name] ?? nothing;
  const since = before && ` (${signed(lines - linesBefore)} lines, ${signed(files - filesBefore)} files)`;
  print(name, `${grouped(lines)} lines in ${grouped(files)} files${since ?? ''}`);
}
const packages = packagesAt(undefined);
const since = ref === undefined ? '' : ` (${signed(packages - packagesAt(ref))})`;
print('packages', `${grouped(packages)} installed${since}`);

/** Counts tracked files: as they are now, or as they were in a commit. */
function sizesAt(commit: string | undefined): Readonly<Record<string, Size>> {
  const at = commit === undefined ? [] : [commit];
  const counted = git(['grep', '-I', '-c', '', ...at, '--', 'src', 'test', 'dashboard', 'scripts', 'bench']);
  const found: Record<string, Size> = {};
  for (const line of counted.split('\n')) {
    const [path = '', count = ''] = (commit === undefined ? line : line.slice(commit.length + 1)).split(':');
    const part = Object.keys(parts).find((name) => parts[name]?.test(path));
    if (part === undefined) continue;
    const { files, lines } = found[part] ?? nothing;
    found[part] = { files: files + 1, lines: lines + Number(count) };
  }
  return found;
}

/** Packages that run with the gateway, without those of its development. */
function packagesAt(commit: string | undefined): number {
  const lock = 'package-lock.json';
  const text = commit === undefined ? readFileSync(new URL(lock, root), 'utf8') : git(['show', `${commit}:${lock}`]);
  const { packages: locked } = JSON.parse(text) as { packages: Readonly<Record<string, { readonly dev?: boolean }>> };
  return Object.entries(locked).filter(([path, { dev = false }]) => path !== '' && !dev).length;
}

function git(args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

function print(name: string, text: string): void {
  console.log(`${name.padEnd(nameWidth)}${text}`);
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function signed(count: number): string {
  return count > 0 ? `+${grouped(count)}` : grouped(count);
}
