import { defaultPackages, defaultSites } from '../config.ts';
import { modelSchema } from './model.ts';
import { packageSchema } from './package.ts';
import { siteSchema } from './site.ts';
import { fileOnlyFields, secretFields, upstreamSchema } from './upstream.ts';

/** One upstream, model, package or site as written in the file, without secrets, so that the store may keep it. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export type ResourceKind = keyof typeof resourceKinds;

/** For each kind: its section in the file, the field with its name, and its schema. */
export const resourceKinds = {
  upstream: { section: 'upstreams', key: 'name', schema: upstreamSchema },
  model: { section: 'models', key: 'id', schema: modelSchema },
  package: { section: 'packages', key: 'name', schema: packageSchema },
  site: { section: 'sites', key: 'name', schema: siteSchema },
} as const;

export function resourcesOf(data: Readonly<Record<string, unknown>>): readonly Resource[] {
  const sections: Record<string, unknown> = { packages: defaultPackages, sites: defaultSites, ...data };
  return (Object.keys(resourceKinds) as ResourceKind[]).flatMap((kind) => {
    const { section, key } = resourceKinds[kind];
    const entries = (sections[section] ?? []) as readonly Record<string, unknown>[];
    return entries.map((entry) => ({ kind, name: String(entry[key]), spec: withoutSecrets(kind, entry) }));
  });
}

const hidden: ReadonlySet<string> = new Set([...secretFields, ...fileOnlyFields]);

function withoutSecrets(
  kind: ResourceKind,
  entry: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (kind !== 'upstream') return entry;
  return Object.fromEntries(Object.entries(entry).filter(([field]) => !hidden.has(field)));
}
