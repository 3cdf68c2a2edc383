import { chmod, cp, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleServer } from '../../scripts/release/bundle.ts';
import { stampBuild } from '../../scripts/stamp-build.ts';

const root = join(import.meta.dirname, '../..');

/** Builds the gateway of this source into a folder of its own, and says which. */
export async function buildGateway(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-built-'));
  // For processes of other users too.
  await chmod(folder, 0o755);
  await bundleServer(root, join(folder, 'dist'));
  stampBuild(root, join(folder, 'dist'));
  for (const path of ['bin', 'package.json']) await cp(join(root, path), join(folder, path), { recursive: true });
  await symlink(join(root, 'dashboard'), join(folder, 'dashboard'));
  return folder;
}
