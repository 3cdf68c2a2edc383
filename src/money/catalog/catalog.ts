import type { ModelSpec } from '../../platform/config/schema/model.ts';
import { batchPriceOf, priceOf, withFactor } from '../../platform/config/schema/model-price.ts';
import type { PackageSpec } from '../../platform/config/schema/package.ts';
import type { SiteSpec } from '../../platform/config/schema/site.ts';
import type { Caller } from '../../core/caller.ts';
import type { ErrorCase } from 'chat-formats/error-table.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model, SurfaceTag } from 'chat-formats/chat/model.ts';
import type { Price } from 'chat-formats/price.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import { modelsNamed } from './model-pattern.ts';
import { siteDomains } from './site-domains.ts';
import { noRules, type SiteRules, siteRules } from './site-rules.ts';

/** The models and who may use them. Immutable: a configuration change creates a new catalog. */
export interface Catalog {
  /** Returns the site for the `Host` of a request. A host without a site has no models. */
  siteFor(host: string): string | undefined;
  /** All models, regardless of access: for operators. */
  all(): readonly Model[];
  /** Every price that an account can be charged. */
  prices(): readonly Price[];
  /** The names of all packages. */
  packages(): readonly string[];
  visible(caller: Caller): readonly Model[];
  /**
   * Returns the model with that id or alias. Throws the same error if the model does not exist, is not allowed for the
   * caller or is not on this surface, so that errors reveal nothing. Without a surface, every surface matches.
   */
  require(caller: Caller, modelName: string, surface?: SurfaceTag | PassThroughEndpoint): Model;
  /** Like `require`, but returns `undefined` instead of throwing. */
  find(caller: Caller, modelName: string, surface?: SurfaceTag | PassThroughEndpoint): Model | undefined;
  /** The same catalog at the prices of batches. */
  readonly forBatches: Catalog;
  /** The weight of the caller's package: its share of a busy upstream relative to other callers. */
  weightOf(caller: Caller): number;
  honoursStreamFalse(site: string): boolean;
  /** Whether the caller's site or key adds the charge to usage objects and JSON replies. */
  reportsCost(caller: Caller): boolean;
  /** The settings of the site for clients of other gateways. */
  rulesOf(site: string): SiteRules;
  /** The settings of a site, for the dashboard. */
  site(name: string): SiteSpec | undefined;
}

export interface CatalogParts {
  readonly models: readonly ModelSpec[];
  readonly packages: readonly PackageSpec[];
  readonly sites: readonly SiteSpec[];
}

/** Builds the catalog and resolves all patterns, so that a request needs only a few look-ups. */
export function buildCatalog({ models: specs, packages, sites }: CatalogParts): Catalog {
  const models = specs.map(modelOf);
  const byName = new Map(models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model])));
  const ofSite = new Map(sites.map((site) => [site.name, modelsNamed(site.models, models)]));
  const ofPackage = new Map(packages.map((each) => [each.name, modelsNamed(each.models, models)]));
  const pricedFor = new Map(packages.map((each) => [each.name, pricedModels(models, each.priceFactor)]));
  const weights = new Map(packages.map(({ name, weight }) => [name, weight]));
  const streamFalseSites = new Set(sites.filter((site) => site.honourStreamFalse).map((site) => site.name));
  const costSites = new Set(sites.filter((site) => site.reportCost).map((site) => site.name));
  const rules = new Map(sites.map((site) => [site.name, siteRules(site)]));
  // A list in a key's snapshot is the same object for every request. The cache entry is collected with the snapshot.
  const ofKeyLimit = new WeakMap<readonly string[], ReadonlySet<string>>();

  function allows({ key, site }: Caller, model: Model): boolean {
    if (!ofSite.get(site)?.has(model.id) || !ofPackage.get(key.packageName)?.has(model.id)) return false;
    const lists = key.models === undefined ? key.narrowedTo : [key.models, ...(key.narrowedTo ?? [])];
    return lists === undefined || lists.every((patterns) => limitedTo(patterns).has(model.id));
  }

  function limitedTo(patterns: readonly string[]): ReadonlySet<string> {
    const known = ofKeyLimit.get(patterns);
    if (known) return known;
    const resolved = modelsNamed(patterns, models);
    ofKeyLimit.set(patterns, resolved);
    return resolved;
  }

  /** The model at the price of the caller's package. */
  function priceFor({ key }: Caller, model: Model): Model {
    return pricedFor.get(key.packageName)?.get(model.id) ?? model;
  }

  const find: Catalog['find'] = (caller, modelName, surface) => {
    const model = byName.get(modelName);
    const isHere = model && (surface === undefined || takes(model, surface));
    return isHere && allows(caller, model) ? priceFor(caller, model) : undefined;
  };
  const visible: Catalog['visible'] = (caller) =>
    models.filter((model) => allows(caller, model)).map((model) => priceFor(caller, model));

  const unknownModel = ({ site }: Caller) => (rules.get(site) ?? noRules).unknownModel;
  const looking = { find, visible, unknownModel };

  const specOf = new Map(specs.map((spec) => [spec.id, spec.price]));
  const everyModel = [...models, ...[...pricedFor.values()].flatMap((each) => [...each.values()])];
  const inBatches = new Map(everyModel.map((model) => [model, withBatchPrice(model, specOf.get(model.id) ?? 'free')]));

  const common = {
    siteFor: siteDomains(sites),
    all: () => models,
    packages: () => [...weights.keys()],
    prices: () => [...everyModel, ...inBatches.values()].map(({ price }) => price),
    weightOf: ({ key }) => weights.get(key.packageName) ?? 1,
    honoursStreamFalse: (site) => streamFalseSites.has(site),
    reportsCost: ({ key, site }) => key.reportsCost === true || costSites.has(site),
    rulesOf: (site) => rules.get(site) ?? noRules,
    site: (name) => sites.find((site) => site.name === name),
  } satisfies Partial<Catalog>;
  const forBatches: Catalog = {
    ...common,
    ...atPrices(looking, (model) => inBatches.get(model) ?? model),
    get forBatches() {
      return forBatches;
    },
  };
  return { ...common, ...atPrices(looking, (model) => model), forBatches };
}

/** The look-ups by caller, at ordinary prices or at those of batches. */
function atPrices(
  {
    find,
    visible,
    unknownModel,
  }: Pick<Catalog, 'find' | 'visible'> & { readonly unknownModel: (caller: Caller) => ErrorCase },
  priced: (model: Model) => Model,
): Pick<Catalog, 'find' | 'visible' | 'require'> {
  const pricedModel: Catalog['find'] = (caller, modelName, surface) => {
    const model = find(caller, modelName, surface);
    return model && priced(model);
  };
  return {
    find: pricedModel,
    visible: (caller) => visible(caller).map(priced),
    require(caller, modelName, surface) {
      const model = pricedModel(caller, modelName, surface);
      if (!model) throw new GatewayError(unknownModel(caller));
      return model;
    },
  };
}

function withBatchPrice(model: Model, spec: ModelSpec['price']): Model {
  return { ...model, price: batchPriceOf(model.price, spec) };
}

/** The models at other prices, by id; empty for a factor of 1. */
function pricedModels(models: readonly Model[], factor: string): ReadonlyMap<string, Model> {
  const priced = models.map((model) => ({ ...model, price: withFactor(model.price, factor) }));
  return new Map(priced.flatMap((model, at) => (model.price === models[at]?.price ? [] : [[model.id, model]])));
}

/** Whether a model is available on a surface or a pass-through endpoint. */
function takes({ surfaces, endpoints = [] }: Model, where: SurfaceTag | PassThroughEndpoint): boolean {
  return surfaces.some((surface) => surface === where) || endpoints.some((endpoint) => endpoint === where);
}

function modelOf(spec: ModelSpec): Model {
  const { id, aliases, description, ownedBy, surfaces, endpoints, contextWindow, maxOutputTokens, fallbacks, routes } =
    spec;
  const { thinking, toolFormat, thinksFirst, repairArguments, untranslatable, pricedFields, allowedFields, cache } =
    spec;
  const { guarantees, tools, jsonDelivery } = spec;
  const answers = {
    thinking,
    toolFormat,
    thinksFirst,
    repairArguments,
    untranslatable,
    pricedFields,
    allowedFields,
    cache,
  };
  const constraints = { guarantees, tools, jsonDelivery };
  return {
    id,
    aliases,
    description,
    ownedBy,
    surfaces,
    endpoints,
    contextWindow,
    maxOutputTokens,
    ...answers,
    ...constraints,
    continue: spec.continue,
    fallbacks,
    routes: routes.map(({ cost, ...route }) => (cost === undefined ? route : { ...route, cost: priceOf(cost) })),
    price: priceOf(spec.price),
  };
}
