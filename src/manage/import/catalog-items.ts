import { Resources } from '../../money/catalog/resources.ts';
import type { Resource, ResourceKind } from '../../platform/config/schema/resource.ts';
import type { PlannedModel, PlannedPackage, PlannedUpstream } from 'chat-gateway-import/plan.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { type AppliedItems, applyItems, type ItemHandler } from './apply-items.ts';
import type { ApplyContext } from './context.ts';
import { withSuffix } from 'chat-gateway-import/item-name.ts';

type Spec = Resource['spec'];

interface CatalogItem {
  readonly sourceId: string;
  readonly name: string;
  readonly spec: Spec;
}

export interface AppliedCatalog {
  readonly packages: AppliedItems;
  readonly upstreams: AppliedItems;
  readonly models: AppliedItems;
  /** Names of packages here, by their names in the plan. */
  readonly packageNames: ReadonlyMap<string, string>;
}

/** Packages, upstreams and models, through the catalog: with its checks, and with sealed credentials. */
export async function applyCatalog(context: ApplyContext): Promise<AppliedCatalog> {
  const { plan, store, clock, kinds, vault } = context;
  const resources = new Resources(store, { clock, kinds, vault: () => Promise.resolve(vault) });
  const handlerOf = (kind: ResourceKind & CatalogItemKind) => catalogHandler(resources, kind);
  const packageNames = await usedNames(context, resources, 'package');
  const packages = plan.packages.map((each) => named(each, packageNames, each.spec));
  const upstreamNames = await usedNames(context, resources, 'upstream');
  const upstreams = plan.upstreams.map((each) => named(each, upstreamNames, withSecrets(each)));
  const appliedPackages = await applyItems(packages, handlerOf('package'), context);
  const appliedUpstreams = await applyItems(upstreams, handlerOf('upstream'), context);
  const refused = new Set(
    upstreams.flatMap((each) => (appliedUpstreams.outcomes.get(each.sourceId) === 'left_out' ? [each.name] : [])),
  );
  const models = plan.models.map(({ sourceId, spec }) => {
    const named = spec.routes.map((route) => ({
      ...route,
      upstream: upstreamNames.get(route.upstream) ?? route.upstream,
    }));
    const routes = named.filter(({ upstream }) => !refused.has(upstream));
    if (routes.length < named.length) {
      const params = { model: spec.id, count: named.length - routes.length };
      context.findings.add('routes_without_upstream', { kind: 'model', sourceId }, params);
    }
    return { sourceId, name: spec.id, spec: { ...spec, routes } };
  });
  return {
    packages: appliedPackages,
    upstreams: appliedUpstreams,
    models: await applyModels(models, resources, context),
    packageNames,
  };
}

type CatalogItemKind = 'package' | 'upstream' | 'model';

function catalogHandler(resources: Resources, kind: CatalogItemKind): ItemHandler<CatalogItem> {
  return {
    kind,
    content: ({ spec }) => spec,
    current: async (name) => {
      const row = (await resources.list(kind)).find((each) => each.name === name);
      return row && row.version;
    },
    create: async ({ spec }) => (await resources.add(kind, revealed(spec))).name,
    change: async (name, { spec }) => {
      await resources.replace(kind, name, revealed(spec));
    },
  };
}

/** A fallback may name a model that comes later: models are added without fallbacks first. */
async function applyModels(
  models: readonly CatalogItem[],
  resources: Resources,
  context: ApplyContext,
): Promise<AppliedItems> {
  const handler = catalogHandler(resources, 'model');
  const existing = new Set((await resources.list('model')).map(({ name }) => name));
  const usable = models.filter(({ sourceId, name }) => {
    const isOurs = context.provenance.find('model', sourceId) !== undefined;
    if (!isOurs && existing.has(name))
      context.findings.add('model_exists', { kind: 'model', sourceId }, { model: name });
    return isOurs || !existing.has(name);
  });
  const isNew = ({ sourceId }: CatalogItem) => context.provenance.find('model', sourceId) === undefined;
  const added = await addedTogether(usable.filter(isNew), resources);
  return applyItems(
    usable,
    {
      ...handler,
      create: async (item) => {
        if (!added.has(item.name)) return handler.create({ ...item, spec: withoutFallbacks(item.spec) });
        return item.name;
      },
      content: ({ spec }) => spec,
    },
    context,
  ).then(async (applied) => {
    for (const item of usable) {
      if (applied.outcomes.get(item.sourceId) !== 'created' || item.spec['fallbacks'] === undefined) continue;
      await setFallbacks(item, resources, context);
    }
    return applied;
  });
}

/** Adds all models in one step. If one of them is refused, none is added here, and each is added by itself. */
async function addedTogether(items: readonly CatalogItem[], resources: Resources): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  try {
    const rows = await resources.addModels(items.map(({ spec }) => withoutFallbacks(spec)));
    return new Set(rows.map(({ name }) => name));
  } catch {
    return new Set();
  }
}

async function setFallbacks(item: CatalogItem, resources: Resources, context: ApplyContext): Promise<void> {
  const handler = catalogHandler(resources, 'model');
  try {
    await handler.change(item.name, item);
  } catch {
    context.findings.add('fallbacks_refused', { kind: 'model', sourceId: item.sourceId }, { model: item.name });
  }
  const known = context.provenance.find('model', item.sourceId);
  const subjectDigest = context.provenance.digest(await handler.current(item.name));
  if (known) await context.provenance.write('model', { ...known, subjectDigest });
}

function withoutFallbacks({ fallbacks: _fallbacks, ...spec }: Spec): Spec {
  return spec;
}

function named(
  { sourceId }: PlannedPackage | PlannedUpstream | PlannedModel,
  names: ReadonlyMap<string, string>,
  spec: Spec,
): CatalogItem {
  const name = names.get(String(spec['name'])) ?? String(spec['name']);
  return { sourceId, name, spec: { ...spec, name } };
}

/** Names of the plan that are in use here for another entry get a suffix. */
async function usedNames(
  { plan, provenance, findings }: ApplyContext,
  resources: Resources,
  kind: 'package' | 'upstream',
): Promise<ReadonlyMap<string, string>> {
  const taken = new Set((await resources.list(kind)).map(({ name }) => name));
  const items = kind === 'package' ? plan.packages : plan.upstreams;
  return new Map(
    items.map(({ sourceId, spec }) => {
      const known = provenance.find(kind, sourceId);
      if (known) return [spec.name, known.subjectId];
      if (!taken.has(spec.name)) return [spec.name, spec.name];
      const used = withSuffix(spec.name, sourceId);
      findings.add('name_changed', { kind, sourceId }, { name: spec.name, used });
      return [spec.name, used];
    }),
  );
}

function withSecrets({ spec, secrets }: PlannedUpstream): Spec {
  return { ...spec, ...secrets };
}

function revealed(spec: Spec): Spec {
  const plain = (value: unknown): unknown => {
    if (value instanceof Secret) return value.reveal();
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  };
  return plain(spec) as Spec;
}
