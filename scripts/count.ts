import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// Usage: node scripts/count.ts [GIT-REF]
// Prints the lines and files of the project by wing and package, and the number of packages that an installation gets.
// With a ref, also the difference to that commit; a part that is gone since then only counts in the total.
const [ref] = process.argv.slice(2);

interface Size {
  readonly files: number;
  readonly lines: number;
}

const isCode = /\.(?:tsx?|js|css|html)$/;
const isTest = /\.(?:test|spec)\.tsx?$|(?:^|\/)fixtures\//;
const root = new URL('..', import.meta.url);
const nothing: Size = { files: 0, lines: 0 };
const nameWidth = 22;

const after = sizesAt(undefined);
const before = ref === undefined ? undefined : sizesAt(ref);
for (const name of Object.keys(after).toSorted()) {
  const { files, lines } = after[name] ?? nothing;
  const { files: filesBefore, lines: linesBefore } = before?.[name] ?? nothing;
  const since = before && ` (${signed(lines - linesBefore)} lines, ${signed(files - filesBefore)} files)`;
  print(name, `${grouped(lines)} lines in ${grouped(files)} files${since ?? ''}`);
}
const packages = packagesAt(undefined);
const since = ref === undefined ? '' : ` (${signed(packages - packagesAt(ref))})`;
print('installed packages', `${grouped(packages)}${since}`);

/** Counts tracked files: as they are now, or as they were in a commit. */
function sizesAt(commit: string | undefined): Readonly<Record<string, Size>> {
  const at = commit === undefined ? [] : [commit];
  const counted = git([
    'grep',
    '-I',
    '-c',
    '',
    ...at,
    '--',
    'src',
    'packages',
    'conform',
    'dashboard',
    'test',
    'scripts',
    'bench',
  ]);
  const found: Record<string, Size> = {};
  for (const line of counted.split('\n')) {
    const [path = '', count = ''] = (commit === undefined ? line : line.slice(commit.length + 1)).split(':');
    if (!isCode.test(path)) continue;
    for (const name of partsOf(path)) {
      const { files, lines } = found[name] ?? nothing;
      found[name] = { files: files + 1, lines: lines + Number(count) };
    }
  }
  return found;
}

/** A file counts in its wing or package, and in a total. The dashboard has a total of its own. */
function partsOf(path: string): readonly string[] {
  const [folder = '', part = ''] = path.split('/');
  if (folder === 'test' || isTest.test(path)) return ['tests'];
  if (folder === 'dashboard' || part === 'dashboard') return ['dashboard'];
  if (folder === 'src' || folder === 'packages') return [`${folder}/${part}`, 'src and packages'];
  return folder === 'conform' ? [folder, 'src and packages'] : [folder];
}

/**
 * Packages that an installation of the gateway may get: without those of its development, also if a package could use one
 * of them. Of packages for one platform each, an installation gets one.
 */
function packagesAt(commit: string | undefined): number {
  const lock = 'package-lock.json';
  const text = commit === undefined ? readFileSync(new URL(lock, root), 'utf8') : git(['show', `${commit}:${lock}`]);
  const { packages: locked } = JSON.parse(text) as {
    packages: Readonly<
      Record<string, { readonly dev?: boolean; readonly devOptional?: boolean; readonly link?: boolean }>
    >;
  };
  return Object.entries(locked).filter(
    ([path, { dev = false, devOptional = false, link = false }]) =>
      path.includes('node_modules/') && !dev && !devOptional && !link,
  ).length;
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
