import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
});

/** The licences of everything that is shipped inside of a build, each with its text as its authors wrote it. */
export function licencesText(root: string, packages: readonly string[]): string {
  const entries = packages.map((folder) => entry(join(root, folder)));
  return [introduction, ...new Set(entries)].join(`\n${'-'.repeat(80)}\n\n`);
}

const introduction =
  'Parts of these packages are inside of the Chat Gateway. Their authors allow it under these terms.\n';

function entry(folder: string): string {
  const { name, version, license } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const terms = typeof license === 'string' ? license : license?.type;
  const [file] = globSync('{LICENSE,LICENCE,License,license,COPYING}*', { cwd: folder }).toSorted();
  if (terms === undefined && file === undefined)
    throw new Error(`${folder} does not say under which terms it may be used.`);
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trimEnd()}\n`;
  return `${name} ${version}\n${terms ?? 'see below'}\n${text}`;
}
