import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryPackage } from './try-package.ts';

/**
 * Creates all release files in `release/`: the package, the chart, the source of the image, the unit, the views, the
 * bill of materials, the licences and the checksums. Archives have fixed times, owners and order, so that a commit
 * always gives the same archives.
 */
const root = join(import.meta.dirname, '../..');
const into = join(root, 'release');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

const unsaved = run('git', 'status', '--porcelain');
if (unsaved !== '') throw new Error(`A release contains committed files only. Commit these first:\n${unsaved}`);
rmSync(into, { recursive: true, force: true });
mkdirSync(into);
const time = run('git', 'log', '-1', '--format=%ct');
process.env['SOURCE_DATE_EPOCH'] = time;

const packed = join(into, run('npm', 'pack', '--silent', '--pack-destination', into).split('\n').at(-1) ?? '');
await tryPackage(packed);
for (const name of ['licences.txt', 'sbom.cdx.json']) copyFileSync(join(root, 'dist', name), join(into, name));
archive(`chat-gateway-chart-${version}.tgz`, 'deploy/helm', 'chat-gateway');
archive(`chat-gateway-views-${version}.tgz`, 'deploy', 'views');
archive(`chat-gateway-compose-${version}.tgz`, 'deploy', 'compose', 'views');
imageSource(`chat-gateway-image-${version}.tgz`);
copyFileSync(join(root, 'deploy/systemd/chat-gateway.service'), join(into, 'chat-gateway.service'));
writeFileSync(join(into, 'SHA256SUMS'), checksums(readdirSync(into).toSorted()));
console.log(`\n${readFileSync(join(into, 'SHA256SUMS'), 'utf8')}\nAll files are in ${into}.`);

/** Follows links: an unpacked archive does not have the targets of its links. */
function archive(name: string, folder: string, ...parts: readonly string[]): void {
  const same = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w'];
  run(
    'tar',
    '--dereference',
    ...same,
    '--use-compress-program=gzip -n',
    '-cf',
    join(into, name),
    '-C',
    folder,
    ...parts,
  );
}

/**
 * All files that `docker build` reads. They have the time of the commit, which the build inside the image uses as its
 * stamp.
 */
function imageSource(name: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-image-'));
  run('sh', '-c', `git archive HEAD | tar -x -C "${folder}"`);
  for (const part of ['test', 'bench', 'docs', 'deploy', '.github'])
    rmSync(join(folder, part), { recursive: true, force: true });
  archive(name, folder, '.');
  rmSync(folder, { recursive: true });
}

function checksums(names: readonly string[]): string {
  const sum = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(into, name)))
      .digest('hex');
  return names.map((name) => `${sum(name)}  ${name}\n`).join('');
}
