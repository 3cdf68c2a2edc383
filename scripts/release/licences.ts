import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
});

/** The licences of all packages in a build, each with its original text. */
export function licencesText(root: string, packages: readonly string[]): string {
  const entries = packages.map((folder) => entry(join(root, folder)));
  return [introduction, ...new Set(entries)].join(`\n${'-'.repeat(80)}\n\n`);
}

const introduction = 'The Chat Gateway contains parts of these packages, under these licences.\n';

function entry(folder: string): string {
  const { name, version, license } = manifestSchema.parse(
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const terms = typeof license === 'string' ? license : license?.type;
  const [file] = globSync('{LICENSE,LICENCE,License,license,COPYING}*', { cwd: folder }).toSorted();
  if (terms === undefined && file === undefined)
    throw new Error(`${folder} has no licence: neither a field nor a file.`);
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trimEnd()}\n`;
  return `${name} ${version}\n${terms ?? 'see below'}\n${text}`;
}
