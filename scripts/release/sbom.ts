import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const bomSchema = z.looseObject({
  serialNumber: z.string().optional(),
  metadata: z.looseObject({ timestamp: z.string(), component: z.looseObject({ name: z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

type Bom = z.infer<typeof bomSchema>;

const documentBytesMax = 64 * 1024 * 1024;

/**
 * A CycloneDX document of the packages in a build: npm describes all installed packages, and packages that are not in
 * the build are removed.
 */
export function billOfMaterials(root: string, packages: readonly string[]): string {
  // The packages of the dashboard are development dependencies, because they are built in. A build may run with
  // NODE_ENV=production.
  const options = ['--sbom-format', 'cyclonedx', '--include', 'dev'];
  const output = execFileSync('npm', ['sbom', ...options], { cwd: root, maxBuffer: documentBytesMax });
  const shipped = new Set(packages.map((folder) => reference(join(root, folder))));
  return JSON.stringify(onlyShipped(bomSchema.parse(JSON.parse(output.toString())), shipped), undefined, 2);
}

/** npm's reference of a package in such a document. */
function reference(folder: string): string {
  const { name, version } = z
    .looseObject({ name: z.string(), version: z.string() })
    .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return `${name}@${version}`;
}

function onlyShipped(bom: Bom, shipped: ReadonlySet<string>): Bom {
  const components = bom.components.filter((component) => shipped.has(component['bom-ref']));
  const described = new Set(components.map((component) => component['bom-ref']));
  const missing = [...shipped].filter((one) => !described.has(one));
  if (missing.length > 0) throw new Error(`npm does not describe ${missing.join(', ')}: run npm ci, then build again.`);
  const dependencies = bom.dependencies
    .filter(({ ref }) => shipped.has(ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn?.filter((other) => shipped.has(other)) }));
  // npm uses the name of the folder, and gives every document a new number and date.
  const component = { ...bom.metadata.component, name: 'chat-gateway', type: 'application' };
  const { serialNumber: _number, ...rest } = bom;
  const metadata = { ...bom.metadata, component, timestamp: sourceTime() ?? bom.metadata.timestamp };
  return { ...rest, metadata, components, dependencies };
}

/** The time of the source, if the build has it in SOURCE_DATE_EPOCH: a commit then always gives the same document. */
function sourceTime(): string | undefined {
  const epoch = process.env['SOURCE_DATE_EPOCH'];
  return epoch === undefined || epoch === '' ? undefined : new Date(Number(epoch) * 1000).toISOString();
}
