import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceStamp } from '../src/cli/source-stamp.ts';
import { buildStamp, stampText } from '../src/core/build-stamp.ts';

/**
 * Writes into a build when its source was made. Where there is no repository to ask, SOURCE_DATE_EPOCH may say it, the
 * variable that builds everywhere take it from.
 */
export function stampBuild(root: string, dist: string): string {
  const file = join(dist, 'core/build-stamp.js');
  const text = readFileSync(file, 'utf8');
  if (!text.includes(buildStamp)) throw new Error(`${file} has no place for a stamp. Build again: npm run build`);
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  const stamp = epoch === undefined || epoch === '' ? sourceStamp(root) : stampText(Number(epoch) * 1000);
  writeFileSync(file, text.replace(buildStamp, stamp));
  return stamp;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  console.log(`stamped ${stampBuild(root, join(root, 'dist'))}`);
}
