import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleServer } from '../../scripts/release/bundle.ts';
import { stampBuild } from '../../scripts/stamp-build.ts';

const root = join(import.meta.dirname, '../..');
const builds = join(root, 'node_modules/.cache/built-gateways');
const keepMs = 24 * 60 * 60 * 1000;

/** Returns a folder with the bundled gateway. Runs with the same source share it, and with it Node's compile cache. */
export async function builtGateway(): Promise<string> {
  const folder = join(builds, sourceDigest());
  if (existsSync(folder)) return folder;
  await mkdir(builds, { recursive: true });
  await removeOldBuilds();
  const fresh = await mkdtemp(join(builds, 'new-'));
  // Some tests start processes under another user.
  await chmod(fresh, 0o755);
  await bundleServer(root, join(fresh, 'dist'));
  stampBuild(root, join(fresh, 'dist'));
  for (const path of ['bin', 'package.json']) await cp(join(root, path), join(fresh, path), { recursive: true });
  await mkdir(join(fresh, 'packages'));
  await symlink(join(root, 'packages/dashboard'), join(fresh, 'packages/dashboard'));
  await rename(fresh, folder).catch(async (error: unknown) => {
    // Another run has built the same source at the same time.
    await rm(fresh, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

function sourceDigest(): string {
  const hash = createHash('sha256');
  const files = globSync(
    [
      '{src,packages/formats/src,packages/{figures,conform,import}}/**/*.ts',
      'bin/*',
      'scripts/release/bundle.ts',
      'package*.json',
    ],
    {
      cwd: root,
    },
  );
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

async function removeOldBuilds(): Promise<void> {
  for (const name of await readdir(builds)) {
    const { mtimeMs } = await stat(join(builds, name));
    if (Date.now() - mtimeMs > keepMs) await rm(join(builds, name), { recursive: true, force: true });
  }
}
