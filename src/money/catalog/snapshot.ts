import type { Config } from '../../platform/config/config.ts';
import type { ModelSpec } from '../../platform/config/schema/model.ts';
import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import type { Store } from '../../platform/store/store.ts';
import { buildCatalog, type Catalog } from './catalog.ts';
import { catalogVersion } from './catalog-version.ts';
import { catalogLock, type ResourceRow, readRows } from './resource-rows.ts';
import { type Entries, type EntryContext, storedEntries } from './stored-entries.ts';

/** The parts of the configuration that requests need, at one point in time. */
export interface Snapshot extends SnapshotParts {
  /** The value of `x-gateway-version` for this catalog. */
  readonly version: string;
}

interface SnapshotParts {
  readonly catalog: Catalog;
  readonly upstreams: readonly UpstreamSpec[];
  /** Disabled upstreams. */
  readonly disabled: readonly UpstreamSpec[];
  /** Why stored entries cannot be used here. Such entries are left out. */
  readonly problems: readonly string[];
}

interface SnapshotOptions extends Omit<EntryContext, 'egress'> {
  readonly config: Config | undefined;
}

/** Reads a snapshot of the configuration file and the store. */
export function snapshot({ store, ...options }: SnapshotOptions & { readonly store: Store }): Promise<Snapshot> {
  return store.transaction(
    async (tx) => ({
      ...snapshotOf({ ...options, rows: await readRows(tx) }),
      version: await catalogVersion(tx),
    }),
    catalogLock,
  );
}

/**
 * Combines the entries of the file and of the store. The file's entries come from memory, which has their secrets.
 * Without a file, the entries it wrote to the store before are used.
 */
export function snapshotOf({
  config,
  ...options
}: SnapshotOptions & { readonly rows: readonly ResourceRow[] }): SnapshotParts {
  const file: Entries = config ?? nothing;
  const rows = options.rows.filter(({ source }) => !config || source === 'store');
  const stored = storedEntries(rows, file, { ...options, egress: config?.egress ?? { allow: [], variables: [] } });
  const upstreams = [...file.upstreams, ...stored.upstreams];
  const inUse = upstreams.filter(({ enabled }) => enabled);
  const { models, problems } = routable([...file.models, ...stored.models], { upstreams, inUse });
  const catalog = buildCatalog({
    models,
    packages: [...file.packages, ...stored.packages],
    sites: [...file.sites, ...stored.sites],
  });
  const disabled = upstreams.filter(({ enabled }) => !enabled);
  const leftOut = stored.problems.map(({ says, fix }) => `${says} ${fix}`);
  return { catalog, upstreams: inUse, disabled, problems: [...leftOut, ...problems] };
}

const nothing: Entries = { upstreams: [], models: [], packages: [], sites: [] };

interface UpstreamSets {
  readonly upstreams: readonly UpstreamSpec[];
  /** The enabled ones of `upstreams`. */
  readonly inUse: readonly UpstreamSpec[];
}

/** Removes routes to missing or disabled upstreams, models without a route, and fallbacks to missing models. */
function routable(models: readonly ModelSpec[], { upstreams, inUse }: UpstreamSets) {
  const names = new Set(upstreams.map(({ name }) => name));
  const open = new Set(inUse.map(({ name }) => name));
  const ids = new Set(models.flatMap(({ id, aliases }) => [id, ...aliases]));
  const problems: string[] = [];
  const kept = models.flatMap((model) => {
    const routes = model.routes.filter(({ upstream }) => open.has(upstream));
    const lost = model.routes.filter(({ upstream }) => !names.has(upstream)).map(({ upstream }) => `\`${upstream}\``);
    if (lost.length > 0) problems.push(`The model \`${model.id}\` cannot be reached through ${lost.join(', ')}.`);
    const fallbacks = model.fallbacks.filter((fallback) => ids.has(fallback.model));
    const gone = model.fallbacks.filter((fallback) => !ids.has(fallback.model)).map((each) => `\`${each.model}\``);
    if (gone.length > 0) problems.push(`The model \`${model.id}\` cannot fall back to ${gone.join(', ')}.`);
    return routes.length > 0 ? [{ ...model, fallbacks, routes }] : [];
  });
  return { models: kept, problems };
}
