import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildAll, setUsualModes } from './build.ts';
import { publishedManifest } from './manifest.ts';

/**
 * npm packs the `package.json` in the folder, so the shipped one replaces it while npm packs. The original is kept. If
 * packing is interrupted, the next call restores it.
 */
const root = join(import.meta.dirname, '../..');
const manifest = join(root, 'package.json');
const kept = join(root, 'node_modules/.cache/packing/package.json');

if (existsSync(kept)) renameSync(kept, manifest);
if (process.argv[2] === 'begin') {
  console.error(`built ${await buildAll(root)}`);
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(manifest, kept);
  const { files } = JSON.parse(readFileSync(manifest, 'utf8')) as { files: readonly string[] };
  setUsualModes(root, [...files.filter((name) => !name.startsWith('!')), 'package.json', 'README.md', 'LICENSE']);
  writeFileSync(manifest, publishedManifest(readFileSync(manifest, 'utf8')));
}
