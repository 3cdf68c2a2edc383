import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const namesSchema = z.record(z.string(), z.string()).default({});

const entrySchema = z.looseObject({
  name: z.string().optional(),
  version: z.string(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  dependencies: namesSchema,
  optionalDependencies: namesSchema,
  peerDependencies: namesSchema,
});

const lockSchema = z.looseObject({ packages: z.record(z.string(), z.unknown()) });
const linkSchema = z.looseObject({ link: z.literal(true) });

type Entries = Readonly<Record<string, z.infer<typeof entrySchema>>>;

/** A CycloneDX document of the packages in a build. Versions, checksums and licences come from the lock file. */
export function billOfMaterials(root: string, packages: readonly string[]): string {
  const entries = readEntries(join(root, 'package-lock.json'));
  const shipped = packages.toSorted();
  const gateway = component(entries, '');
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...gateway, type: 'application' } },
    components: unique(shipped.map((path) => ({ ...component(entries, path), type: 'library' }))),
    dependencies: unique([
      { 'bom-ref': gateway['bom-ref'], dependsOn: references(entries, shipped) },
      ...shipped.map((path) => ({
        'bom-ref': component(entries, path)['bom-ref'],
        dependsOn: references(
          entries,
          dependenciesOf(entries, path).filter((dependency) => shipped.includes(dependency)),
        ),
      })),
    ]).map(({ 'bom-ref': ref, dependsOn }) => ({ ref, dependsOn })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Without the links to packages of this repository, which are parts of the gateway. */
function readEntries(lockFile: string): Entries {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(lockFile, 'utf8')));
  const own = Object.entries(packages).filter(([, entry]) => !linkSchema.safeParse(entry).success);
  return Object.fromEntries(own.map(([path, entry]) => [path, entrySchema.parse(entry)]));
}

function component(entries: Entries, path: string) {
  const entry = entries[path];
  if (entry === undefined) throw new Error(`package-lock.json has no ${path}: run npm ci, then build again.`);
  const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const reference = `${name}@${entry.version}`;
  return {
    'bom-ref': reference,
    name,
    version: entry.version,
    purl: `pkg:npm/${reference.replace(/^@/, '%40')}`,
    ...(entry.integrity === undefined ? {} : { hashes: [hashOf(entry.integrity)] }),
    ...(entry.license === undefined ? {} : { licenses: [{ expression: entry.license }] }),
  };
}

/** The lock file has `sha512-BASE64`, CycloneDX has the digits. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [, bits = '', digest = ''] = /^sha(\d+)-(\S+)/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(digest, 'base64').toString('hex') };
}

/** The folders of the packages that a package loads: each name is searched as Node does, from the inside out. */
function dependenciesOf(entries: Entries, path: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = entries[path] ?? entrySchema.parse({ version: '' });
  const inside = '/node_modules/';
  const levels = path.split(inside).map((_, index, all) => all.slice(0, index + 1).join(inside));
  return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((name) => {
    const places = ['', ...levels.map((level) => `${level}/`)].map((folder) => `${folder}node_modules/${name}`);
    return places.filter((place) => entries[place] !== undefined).slice(-1);
  });
}

function references(entries: Entries, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => component(entries, path)['bom-ref']))].toSorted();
}

/** The same version of a package may be in several folders. */
function unique<T extends { readonly 'bom-ref': string }>(list: readonly T[]): readonly T[] {
  return [...new Map(list.map((each) => [each['bom-ref'], each])).values()];
}
