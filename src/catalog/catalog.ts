import type { ModelSpec } from '../config/model.ts';
import { priceOf } from '../config/model-price.ts';
import type { PackageSpec } from '../config/package.ts';
import type { SiteSpec } from '../config/site.ts';
import type { Caller } from '../core/caller.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { PassThroughEndpoint } from '../core/pass-through-endpoint.ts';
import { modelsNamed } from './model-pattern.ts';
import { siteDomains } from './site-domains.ts';

/** Which models exist for whom. Immutable: a change of the configuration makes a new one. */
export interface Catalog {
  /** The site a request's `Host` selects. A host of no site has no models. */
  siteFor(host: string): string | undefined;
  /** Every model there is, whoever may use it: for those who run the gateway. */
  all(): readonly Model[];
  /** The names of all packages. */
  packages(): readonly string[];
  visible(caller: Caller): readonly Model[];
  /**
   * The model of that id or alias. Absent, not entitled and not on this surface are refused alike, so that refusals tell
   * nothing. Where no surface is said, every one will do.
   */
  require(caller: Caller, asked: string, surface?: SurfaceTag | PassThroughEndpoint): Model;
  /** The same for who can do without it. */
  find(caller: Caller, asked: string, surface?: SurfaceTag | PassThroughEndpoint): Model | undefined;
  /** The caller's share of a busy upstream beside others, by its package. */
  weightOf(caller: Caller): number;
  honoursStreamFalse(site: string): boolean;
  /** Whether the messages surface takes any bearer token there. */
  takesMessagesBearer(site: string): boolean;
  /** What the dashboard has to know of a site. */
  site(name: string): SiteSpec | undefined;
}

export interface CatalogParts {
  readonly models: readonly ModelSpec[];
  readonly packages: readonly PackageSpec[];
  readonly sites: readonly SiteSpec[];
}

/** Builds the catalog with every pattern resolved, so that a request costs a few look-ups. */
export function buildCatalog({ models: specs, packages, sites }: CatalogParts): Catalog {
  const models = specs.map(modelOf);
  const byName = new Map(models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model])));
  const ofSite = new Map(sites.map((site) => [site.name, modelsNamed(site.models, models)]));
  const ofPackage = new Map(packages.map((each) => [each.name, modelsNamed(each.models, models)]));
  const weights = new Map(packages.map(({ name, weight }) => [name, weight]));
  const streamFalseSites = new Set(sites.filter((site) => site.honourStreamFalse).map((site) => site.name));
  const bearerSites = new Set(sites.filter((site) => site.messagesBearer).map((site) => site.name));
  // The list in a key's snapshot is the same object on every request, and goes away with the snapshot.
  const ofKeyLimit = new WeakMap<readonly string[], ReadonlySet<string>>();

  function allows({ key, site }: Caller, model: Model): boolean {
    if (!ofSite.get(site)?.has(model.id) || !ofPackage.get(key.packageName)?.has(model.id)) return false;
    return key.models === undefined || limitedTo(key.models).has(model.id);
  }

  function limitedTo(patterns: readonly string[]): ReadonlySet<string> {
    const known = ofKeyLimit.get(patterns);
    if (known) return known;
    const resolved = modelsNamed(patterns, models);
    ofKeyLimit.set(patterns, resolved);
    return resolved;
  }

  const find: Catalog['find'] = (caller, asked, surface) => {
    const model = byName.get(asked);
    const isHere = model && (surface === undefined || takes(model, surface));
    return isHere && allows(caller, model) ? model : undefined;
  };

  return {
    siteFor: siteDomains(sites),
    all: () => models,
    packages: () => [...weights.keys()],
    visible: (caller) => models.filter((model) => allows(caller, model)),
    find,
    require(caller, asked, surface) {
      const model = find(caller, asked, surface);
      if (!model) throw new GatewayError('access-denied');
      return model;
    },
    weightOf: ({ key }) => weights.get(key.packageName) ?? 1,
    honoursStreamFalse: (site) => streamFalseSites.has(site),
    takesMessagesBearer: (site) => bearerSites.has(site),
    site: (name) => sites.find((site) => site.name === name),
  };
}

/** Whether a model is on a surface, or on an endpoint that passes bodies on. */
function takes({ surfaces, endpoints = [] }: Model, where: SurfaceTag | PassThroughEndpoint): boolean {
  return surfaces.some((surface) => surface === where) || endpoints.some((endpoint) => endpoint === where);
}

function modelOf(spec: ModelSpec): Model {
  const { id, aliases, description, ownedBy, surfaces, endpoints, contextWindow, maxOutputTokens, fallbacks, routes } =
    spec;
  const { thinking, toolFormat, thinksFirst, repairArguments, untranslatable, cache } = spec;
  const { guarantees, tools, jsonDelivery } = spec;
  const answers = { thinking, toolFormat, thinksFirst, repairArguments, untranslatable, cache };
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
