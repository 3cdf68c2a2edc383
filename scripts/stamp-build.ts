import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceStamp } from '../src/cli/source-stamp.ts';
import { buildStamp } from '../src/core/build-stamp.ts';

/** Writes into a build when its source was made. */
export function stampBuild(root: string, dist: string): string {
  const file = join(dist, 'core/build-stamp.js');
  const text = readFileSync(file, 'utf8');
  if (!text.includes(buildStamp)) throw new Error(`${file} has no place for a stamp. Build again: npm run build`);
  const stamp = sourceStamp(root);
  writeFileSync(file, text.replace(buildStamp, stamp));
  return stamp;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  console.log(`stamped ${stampBuild(root, join(root, 'dist'))}`);
}
