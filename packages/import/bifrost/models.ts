import type { FindingList } from '../findings.ts';
import { modelIdForm } from '../item-name.ts';
import { ModelPrices } from '../model-prices.ts';
import type { ModelSettings, PlannedModel } from '../plan.ts';
import { textOf, textsOf } from '../values.ts';
import type { KeyGroup } from './providers.ts';
import type { BifrostSource } from './source.ts';

export interface BifrostModels {
  readonly models: readonly PlannedModel[];
  /** Names without a provider that several providers serve, and those providers. */
  readonly shared: ReadonlyMap<string, readonly string[]>;
  /** Names without a provider, by provider. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/**
 * Clients name a model `provider/model`, or by its own name. A name of one provider is an alias; a name of several is a
 * model of its own with a route to each.
 */
export function planModels(source: BifrostSource, groups: readonly KeyGroup[], findings: FindingList): BifrostModels {
  const prices = new ModelPrices(source.prices, source.target, findings);
  const providersByName = new Map<string, Map<string, KeyGroup[]>>();
  for (const group of groups) {
    const names = modelNames(source, group, findings);
    for (const name of names) {
      const byProvider = providersByName.get(name) ?? new Map<string, KeyGroup[]>();
      byProvider.set(group.provider, [...(byProvider.get(group.provider) ?? []), group]);
      providersByName.set(name, byProvider);
    }
  }
  const providers = new Set(source.providers.map((each) => textOf(each['name'])));
  // Bifrost reads the part before the slash as a provider, if there is one of that name.
  const isAmbiguous = (name: string) => name.includes('/') && providers.has(name.split('/', 1)[0]);
  const specs: ModelSettings[] = [];
  const shared = new Map<string, readonly string[]>();
  for (const [name, byProvider] of providersByName) {
    const own = [...byProvider].flatMap(([provider, serving]): ModelSettings[] => {
      const id = `${provider}/${name}`;
      const subject = { kind: 'model', sourceId: id } as const;
      const price = prices.find({ name: serving[0]?.aliases.get(name) ?? name, providers: [provider] }, subject);
      if (!price) findings.add('price_missing', subject);
      return price ? [{ id, routes: routesOf(name, serving), ...price }] : [];
    });
    const [first] = own;
    if (isAmbiguous(name)) specs.push(...own);
    else if (own.length === 1 && first) specs.push({ ...first, aliases: [name] });
    else if (first) {
      specs.push(...own, { ...first, id: name, routes: own.flatMap(({ routes }) => routes) });
      shared.set(name, [...byProvider.keys()]);
      findings.add(
        'model_of_providers',
        { kind: 'model', sourceId: name },
        { model: name, providers: [...byProvider.keys()].join(', ') },
      );
    }
  }
  const pairs = [...providersByName].flatMap(([name, byProvider]) =>
    [...byProvider.keys()].map((provider) => [provider, name] as const),
  );
  const names = new Map(
    [...Map.groupBy(pairs, ([provider]) => provider)].map(([provider, own]) => [provider, own.map(([, name]) => name)]),
  );
  return { models: specs.map((spec) => ({ sourceId: spec.id, spec })), shared, names };
}

function routesOf(name: string, groups: readonly KeyGroup[]): ModelSettings['routes'] {
  return groups.map(({ upstream, aliases, weight }) => ({ upstream, model: aliases.get(name) ?? name, weight }));
}

/** The models of a key: those that it lists; else those that Bifrost found or has a price for, and those that virtual keys name. */
function modelNames(source: BifrostSource, group: KeyGroup, findings: FindingList): readonly string[] {
  const { provider, models, excluded, aliases } = group;
  const ofProvider = (rows: BifrostSource['models']) => rows.filter((row) => textOf(row['provider']) === provider);
  const found = ofProvider(source.models).map((row) => textOf(row['name']) ?? '');
  const named = ofProvider(source.providerConfigs).flatMap((row) => textsOf(row['allowed_models']));
  const all = new Set([...(models ?? [...found, ...named]), ...aliases.keys()]);
  const forbidden = new Set(excluded.map((name) => name.toLowerCase()));
  for (const name of all) if (forbidden.has(name.toLowerCase()) || forbidden.has('*')) all.delete(name);
  all.delete('*');
  all.delete('');
  if (all.size === 0) findings.add('models_unknown', { kind: 'upstream', sourceId: group.upstream }, { provider });
  return [...all].filter((name) => {
    if (!modelIdForm.test(name)) findings.add('model_name_invalid', { kind: 'model', sourceId: name }, { name });
    return modelIdForm.test(name);
  });
}
