import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeConfigurationSchema } from '../configuration-schema.ts';
import { stampBuild } from '../stamp-build.ts';
import { bundleDashboard, bundleDocs, bundleServer } from './bundle.ts';
import { licencesText } from './licences.ts';
import { runtimePackage } from './manifest.ts';
import { billOfMaterials } from './sbom.ts';

/**
 * Builds everything that is shipped: `dist`, `packages/dashboard/dist` and `docs/dist`, with its bill of materials and its licences,
 * and the schema for editors.
 */
export async function buildAll(root: string): Promise<string> {
  // With another value, for example that of a test, React's development build and paths of this machine would be inside.
  process.env['NODE_ENV'] = 'production';
  const dist = join(root, 'dist');
  const bundled = [await bundleServer(root, dist), await bundleDashboard(root), await bundleDocs(root)].flat();
  const packages = [...new Set([...bundled, ...fonts.map((font) => copyFont(root, dist, font))])].toSorted();
  writeRuntime(root, dist);
  writeConfigurationSchema();
  writeFileSync(join(dist, 'licences.txt'), licencesText(root, packages));
  writeFileSync(join(dist, 'sbom.cdx.json'), billOfMaterials(root, packages));
  return stampBuild(root, dist);
}

/** The fonts of PDF documents. */
export const fonts = ['noto-sans-sc', 'noto-sans'];

/** Copies a font next to the code that reads it, and returns the folder of its package. */
export function copyFont(root: string, dist: string, name: string): string {
  const font = `node_modules/@fontsource/${name}`;
  const [from, to] = [join(root, font), join(dist, 'money/documents/pdf/fonts', name)];
  mkdirSync(join(to, 'files'), { recursive: true });
  const parts = globSync('files/*-400-normal.woff2', { cwd: from });
  // One more file has the characters of all numbered parts.
  for (const part of parts.filter((name) => !name.includes('chinese-simplified')))
    cpSync(join(from, part), join(to, part));
  cpSync(join(from, 'unicode.json'), join(to, 'unicode.json'));
  return font;
}

/**
 * Writes the manifest and the lock file with which the launcher fetches Node on a machine whose own Node is too old.
 */
export function writeRuntime(root: string, dist: string): void {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const { manifest, lock } = runtimePackage(read('package.json'), read('package-lock.json'));
  mkdirSync(join(dist, 'runtime'), { recursive: true });
  writeFileSync(join(dist, 'runtime/package.json'), manifest);
  writeFileSync(join(dist, 'runtime/package-lock.json'), lock);
}

/** Gives files the usual modes. Those of a new file depend on the shell, and npm packs them. */
export function setUsualModes(root: string, patterns: readonly string[]): void {
  const names = patterns.flatMap((pattern) => [pattern, `${pattern}/**`]);
  for (const name of globSync(names, { cwd: root })) {
    const file = join(root, name);
    const { mode } = statSync(file);
    chmodSync(file, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

if (import.meta.main) console.log(`built ${await buildAll(join(import.meta.dirname, '../..'))}`);
