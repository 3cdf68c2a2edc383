import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildAll } from './build.ts';
import { publishedManifest } from './manifest.ts';

/**
 * npm packs the `package.json` that lies there, so for the moment of packing it is the one that is shipped. The usual one is
 * kept meanwhile, and comes back at the next call should the packing have been cut off.
 */
const root = join(import.meta.dirname, '../..');
const manifest = join(root, 'package.json');
const kept = join(root, 'node_modules/.cache/packing/package.json');

if (existsSync(kept)) renameSync(kept, manifest);
if (process.argv[2] === 'begin') {
  console.error(`built ${await buildAll(root)}`);
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(manifest, kept);
  writeFileSync(manifest, publishedManifest(readFileSync(manifest, 'utf8')));
}
