import { z } from 'zod';

const manifestSchema = z.looseObject({
  version: z.string(),
  optionalDependencies: z.record(z.string(), z.string()),
});

const lockSchema = z.looseObject({ packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })) });

/** Fields that are needed only to work on the source. A build contains its packages. */
const onlyForSource = new Set([
  'workspaces',
  'scripts',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'overrides',
]);

/**
 * The `package.json` of the shipped package, from the `package.json` of the source. The launcher of the package also runs
 * on Node 20, and starts a newer one.
 */
export function publishedManifest(manifest: string): string {
  const all = Object.entries(z.record(z.string(), z.unknown()).parse(JSON.parse(manifest)));
  const shipped = Object.fromEntries(all.filter(([name]) => !onlyForSource.has(name)));
  return jsonText({ ...shipped, engines: { node: '>=20' } });
}

/**
 * The Node package that the launcher installs with npm on a machine whose own Node is too old, with the checksums of
 * our lock file.
 */
export function runtimePackage(manifest: string, lock: string): { readonly manifest: string; readonly lock: string } {
  const { version, optionalDependencies } = manifestSchema.parse(JSON.parse(manifest));
  const { packages } = lockSchema.parse(JSON.parse(lock));
  const head = { name: 'chat-gateway-runtime', version, private: true, optionalDependencies };
  const locked = Object.keys(optionalDependencies).map((name) => {
    const path = `node_modules/${name}`;
    if (packages[path] === undefined) throw new Error(`package-lock.json has no ${name}: run npm install.`);
    return [path, packages[path]] as const;
  });
  const all = { '': { name: head.name, version, optionalDependencies }, ...Object.fromEntries(locked) };
  return { manifest: jsonText(head), lock: jsonText({ name: head.name, version, lockfileVersion: 3, packages: all }) };
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
