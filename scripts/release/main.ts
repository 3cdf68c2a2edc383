import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { setUsualModes } from './build.ts';
import { signChecksums, signingKey } from './sign.ts';
import { tryPackage } from './try-package.ts';

/**
 * Creates all release files in `release/`: the package, the wire formats, the Node of this platform, the chart, the source, the unit, the
 * views, the bill of materials, the licences, the checksums and, with `--sign KEY.pem`, their signature. Archives have
 * fixed times, owners, modes and order, so that a commit always gives the same files.
 */
const root = join(import.meta.dirname, '../..');
const into = join(root, 'release');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { values: options } = parseArgs({ options: { sign: { type: 'string' } } });
// Read first: a wrong key should not cost a build.
const key = options.sign === undefined ? undefined : signingKey(options.sign);

const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

const unsaved = run('git', 'status', '--porcelain');
if (unsaved !== '') throw new Error(`A release contains committed files only. Commit these first:\n${unsaved}`);
rmSync(into, { recursive: true, force: true });
mkdirSync(into);
const time = run('git', 'log', '-1', '--format=%ct');
process.env['SOURCE_DATE_EPOCH'] = time;

await tryPackage(join(into, pack('.')));
rmSync(join(root, 'packages/formats/dist'), { recursive: true, force: true });
run('npx', 'tsc', '-p', 'packages/formats');
setUsualModes(root, ['packages/formats']);
pack('./packages/formats', '--ignore-scripts');
// A machine with an old Node and without a registry installs it next to the package.
for (const folder of globSync('node_modules/node-linux-*', { cwd: root })) {
  setUsualModes(root, [folder]);
  pack(`./${folder}`, '--ignore-scripts');
}
for (const name of ['licences.txt', 'sbom.cdx.json']) copyFileSync(join(root, 'dist', name), join(into, name));
archive(`chat-gateway-chart-${version}.tgz`, 'deploy/helm', 'chat-gateway');
archive(`chat-gateway-views-${version}.tgz`, 'deploy', 'views');
archive(`chat-gateway-compose-${version}.tgz`, 'deploy', 'compose', 'views');
sourceArchive(`chat-gateway-source-${version}.tgz`);
copyFileSync(join(root, 'deploy/systemd/chat-gateway.service'), join(into, 'chat-gateway.service'));
const sums = checksums(readdirSync(into).toSorted());
writeFileSync(join(into, 'SHA256SUMS'), sums);
if (key) signChecksums(into, key);
console.log(`\n${sums}\nAll files are in ${into}${key ? ', with SHA256SUMS.sig' : ''}.`);

/** Packs a folder with npm, which gives its archives fixed times and owners, and returns the name of the archive. */
function pack(folder: string, ...more: readonly string[]): string {
  const printed = run('npm', 'pack', folder, '--silent', '--pack-destination', into, ...more);
  return basename(printed.split('\n').at(-1) ?? '');
}

/** Follows links: an unpacked archive does not have the targets of its links. */
function archive(name: string, folder: string, ...parts: readonly string[]): void {
  const order = ['--sort=name', `--mtime=@${time}`, '--owner=0', '--group=0', '--numeric-owner'];
  const same = [...order, '--mode=u+w,a+rX,go-w', '--use-compress-program=gzip -n', '--dereference'];
  run('tar', ...same, '-cf', join(into, name), '-C', folder, ...parts);
}

/** The source of the commit, from which `docker build` makes the image. */
function sourceArchive(name: string): void {
  run('sh', '-c', `git archive --prefix=chat-gateway-${version}/ HEAD | gzip -n > "$0"`, join(into, name));
}

function checksums(names: readonly string[]): string {
  const sum = (name: string): string =>
    createHash('sha256')
      .update(readFileSync(join(into, name)))
      .digest('hex');
  return names.map((name) => `${sum(name)}  ${name}\n`).join('');
}
