import type { CatalogParts } from '../../../src/money/catalog/catalog.ts';
import { camelCased } from '../../../src/platform/config/schema/values/camel-case.ts';
import { modelSchema, modelSpec } from '../../../src/platform/config/schema/model.ts';
import { packageSchema } from '../../../src/platform/config/schema/package.ts';
import { siteSchema } from '../../../src/platform/config/schema/site.ts';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from '../../../src/platform/config/schema/upstream.ts';

/** Every input and output token costs one nano-unit, so a number of tokens is also an amount of money. */
const price = { input: '0.001', output: '0.001' };

/** Builds a catalog from model ids and the upstreams of each model. `more` has further settings by model. */
export function catalogOf(
  models: Readonly<Record<string, readonly string[]>>,
  more: Readonly<Record<string, object>> = {},
): CatalogParts {
  return {
    models: Object.entries(models).map(([id, upstreams]) => {
      const routes = upstreams.map((upstream) => ({ upstream, model: id }));
      return modelSpec(modelSchema.parse({ id, price, routes, ...more[id] }));
    }),
    packages: [camelCased(packageSchema.parse({ name: 'standard', models: ['*'] }))],
    sites: [camelCased(siteSchema.parse({ name: 'main', domains: ['*'], models: ['*'] }))],
  };
}

export function upstreamOf(name: string, slots: number): UpstreamSpec {
  return upstreamSpec(upstreamSchema.parse({ name, kind: 'simulated', max_concurrency: slots }));
}
