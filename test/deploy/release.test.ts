import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-release-'));
const key = join(folder, 'key.pem');
const clones = [join(folder, 'one'), join(folder, 'another/clone')] as const;
const releases = clones.map((clone) => join(clone, 'release'));
const [first = '', second = ''] = releases;
/** Two builds of everything, and the contract tests of both packages. */
const releaseMs = 1_800_000;

/** Makes a release of the same sources in two folders, the second with other settings of the shell. */
beforeAll(async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(folder, 'release.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  for (const clone of clones) await commitSources(clone);
  for (const [index, clone] of clones.entries()) {
    const release = `${index === 0 ? 'umask 022' : 'umask 077; export TZ=Asia/Tokyo LC_ALL=C'}; npm run release -- --sign "$0"`;
    await run('sh', ['-c', release, key], { cwd: clone, maxBuffer: 2 ** 26 });
  }
}, releaseMs);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A repository with one commit. Its packages are links to the files of the installed ones. */
async function commitSources(clone: string): Promise<void> {
  mkdirSync(clone, { recursive: true });
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of stdout.split('\0').filter(Boolean)) {
    cpSync(join(root, file), join(clone, file), { recursive: true });
  }
  const packages = join(root, 'node_modules');
  await run('sh', ['-c', 'cp -al "$0" "$1" 2>/dev/null || cp -a "$0" "$1"', packages, join(clone, 'node_modules')]);
  rmSync(join(clone, 'node_modules/.cache'), { recursive: true, force: true });
  const person = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  // The archive of the source names the commit, so both clones need the same.
  const time = '2026-01-02T03:04:05Z';
  const env = { ...process.env, GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
  for (const words of [
    ['init', '--quiet'],
    ['add', '.'],
    [...person, 'commit', '--quiet', '--message', 'one'],
  ]) {
    await run('git', words, { cwd: clone, env });
  }
}

test('two releases of a commit are equal, byte for byte', () => {
  const names = readdirSync(first).toSorted();
  expect(readdirSync(second).toSorted()).toEqual(names);
  const different = names.filter((name) => !readFileSync(join(first, name)).equals(readFileSync(join(second, name))));
  expect(different).toEqual([]);
});

test('the documented commands verify a release', async () => {
  const page = readFileSync(join(root, 'deploy/README.md'), 'utf8');
  const [, commands = ''] = /## Verify a release\n\n```sh\n([^]*?)```/.exec(page) ?? [];
  expect(commands).toContain('openssl');
  cpSync(join(folder, 'release.pub'), join(first, 'release.pub'));
  const { stdout } = await run('sh', ['-ec', commands], { cwd: first });
  expect(stdout).toContain('Signature Verified Successfully');
  writeFileSync(join(first, 'SHA256SUMS'), readFileSync(join(first, 'SHA256SUMS'), 'utf8').replace(/^./, 'x'));
  await expect(run('sh', ['-ec', commands], { cwd: first })).rejects.toThrow('Command failed');
});

test('the bill of materials lists the packages of the server, of the dashboard and of the documentation site', () => {
  const { components, dependencies } = JSON.parse(readFileSync(join(second, 'sbom.cdx.json'), 'utf8'));
  const names = components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['zod', 'react', '@vue/runtime-core']));
  expect(names).not.toContain('vitest');
  const known = new Set(components.map((component: { 'bom-ref': string }) => component['bom-ref']));
  const unknown = dependencies
    .slice(1)
    .flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn.filter((reference) => !known.has(reference)));
  expect(unknown).toEqual([]);
});

test('the package has the pages of the site and the schema for editors', async () => {
  const [name = ''] = readdirSync(second).filter((file) => /^chat-gateway-\d.*\.tgz$/.test(file));
  const { stdout } = await run('tar', ['-tzf', join(second, name)]);
  const files = ['docs/dist/index.html', 'gateway.schema.json', 'gateway.example.yaml', 'bin/chat-gateway.cjs'];
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(files.map((file) => `package/${file}`)));
});
