import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceStamp } from '../src/cli/serve/source-stamp.ts';
import { buildStamp, formatStamp } from '../src/core/build-stamp.ts';

/**
 * Writes the time of the source into a build. It comes from SOURCE_DATE_EPOCH, the usual variable of reproducible
 * builds, if that is set: a build may have no repository.
 */
export function stampBuild(root: string, dist: string): string {
  const built = globSync('**/*.js', { cwd: dist }).map((file) => join(dist, file));
  const stampable = built.filter((file) => readFileSync(file, 'utf8').includes(buildStamp));
  const [file] = stampable;
  if (file === undefined || stampable.length > 1) {
    throw new Error(
      `${dist} has ${stampable.length} files with a place for the stamp instead of one. Build again: npm run build`,
    );
  }
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  const stamp = epoch === undefined || epoch === '' ? sourceStamp(root) : formatStamp(Number(epoch) * 1000);
  writeFileSync(file, readFileSync(file, 'utf8').replace(buildStamp, stamp));
  return stamp;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  console.log(`stamped ${stampBuild(root, join(root, 'dist'))}`);
}
