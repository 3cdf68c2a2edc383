import type { FindingList } from '../findings.ts';
import { textOf, textsOf, type Values } from '../values.ts';
import { type KeyScope, providerKeysOf } from './key-limits.ts';
import type { BifrostModels } from './models.ts';
import type { BifrostSource } from './source.ts';

const allModels = '*';

interface ModelParts {
  readonly source: BifrostSource;
  readonly catalog: BifrostModels;
  readonly findings: FindingList;
}

/** Patterns for the models that a virtual key may use. `undefined`: all. */
export function keyModels(
  { id, configs }: KeyScope,
  name: string,
  { source, catalog, findings }: ModelParts,
): readonly string[] | undefined {
  const lists = new Map(
    configs.map((config) => [textOf(config['provider']) ?? '', allowedModels(config, { source, catalog, findings })]),
  );
  if (lists.size === 0) return [];
  const everyProvider = source.providers.map((provider) => textOf(provider['name']) ?? '');
  if (everyProvider.every((provider) => lists.get(provider)?.[0] === allModels)) return undefined;
  const patterns = new Set([...lists].flatMap(([provider, models]) => models.map((model) => `${provider}/${model}`)));
  for (const [model, providers] of catalog.shared) {
    const serving = providers.filter(
      (provider) => patterns.has(`${provider}/${model}`) || patterns.has(`${provider}/${allModels}`),
    );
    if (serving.length === providers.length) patterns.add(model);
    else if (serving.length > 0) {
      const subject = { kind: 'key', sourceId: id } as const;
      findings.add('shared_model_left_out', subject, { name, model, providers: serving.join(', ') });
    }
  }
  return [...patterns].sort();
}

/** Models of a provider without those that are forbidden. Only `*` alone is a wildcard in Bifrost. */
function allowedModels(config: Values, { source, catalog }: ModelParts): readonly string[] {
  if (providerKeysOf(config, source) === 'none') return [];
  const allowed = textsOf(config['allowed_models']);
  const forbidden = new Set(textsOf(config['blacklisted_models']).map((model) => model.toLowerCase()));
  if (forbidden.has(allModels)) return [];
  const isAll = allowed.length === 1 && allowed[0] === allModels;
  if (isAll && forbidden.size === 0) return [allModels];
  const known = isAll ? (catalog.names.get(textOf(config['provider']) ?? '') ?? []) : allowed;
  return known.filter((model) => !model.includes(allModels) && !forbidden.has(model.toLowerCase()));
}
