import { textOf, textsOf, type Values } from '../values.ts';
import { isTrue } from '../table-reader.ts';
import { budgetText } from './budgets.ts';
import { isEnabled } from './providers.ts';
import type { BifrostSource } from './source.ts';

/** A virtual key, and the rows that decide what Bifrost allows it. */
export interface KeyScope {
  readonly row: Values;
  readonly id: string;
  readonly configs: readonly Values[];
  /** Names of the providers that it may use. */
  readonly providers: ReadonlySet<string>;
  readonly team: Values | undefined;
  /** The customer of the key, and that of its team. */
  readonly customers: readonly Values[];
}

export function scopeOf(row: Values, source: BifrostSource): KeyScope {
  const id = textOf(row['id']) ?? '';
  const configs = source.providerConfigs.filter((config) => textOf(config['virtual_key_id']) === id);
  const team = source.teams.find((each) => isNamed(each, row['team_id']));
  const customers = source.customers.filter(
    (each) => isNamed(each, row['customer_id']) || isNamed(each, team?.['customer_id']),
  );
  const providers = new Set(configs.map((config) => textOf(config['provider']) ?? ''));
  return { row, id, configs, providers, team, customers };
}

function isNamed(row: Values, id: unknown): boolean {
  return textOf(id) !== undefined && textOf(row['id']) === textOf(id);
}

/** Budgets that count everything that the key does, and texts of limits that a key here cannot have. */
export interface KeyLimits {
  readonly budgets: readonly { readonly budget: Values; readonly isAligned: boolean }[];
  readonly others: readonly string[];
}

/** `models`: the patterns of the key here. */
export function limitsOfKey(scope: KeyScope, models: readonly string[] | undefined, source: BifrostSource): KeyLimits {
  const isAligned = isTrue(scope.row['calendar_aligned']);
  const own = source.budgets.filter((budget) => textOf(budget['virtual_key_id']) === scope.id);
  const budgets = own.map((budget) => ({ budget, isAligned }));
  const others = [...providerLimits(scope, source), ...rateLimits(scope, source), ...unknownLimits(scope, source)];
  for (const config of scope.configs) {
    const ofConfig = source.budgets.filter((each) => isNamed(config, each['provider_config_id']));
    if (scope.providers.size === 1) budgets.push(...ofConfig.map((budget) => ({ budget, isAligned })));
    else others.push(...ofConfig.map((budget) => partText(budget, config['provider'])));
  }
  for (const config of source.modelConfigs.filter((each) => concernsKey(each, scope, models))) {
    const ofConfig = source.budgets.filter(
      (each) => isNamed(config, each['model_config_id']) || isNamed(each, config['budget_id']),
    );
    const isOwn = config['scope'] === 'virtual_key';
    if (isOwn && countsAll(config, scope, models))
      budgets.push(...ofConfig.map((budget) => ({ budget, isAligned: isTrue(config['calendar_aligned']) })));
    else others.push(...ofConfig.map((budget) => partText(budget, config['provider'], config['model_name'])));
  }
  if (textOf(scope.row['team_id']) !== undefined && textOf(scope.row['customer_id']) !== undefined)
    others.push('a customer besides its team');
  return { budgets, others };
}

function partText(budget: Values, provider: unknown, model?: unknown): string {
  const what = textOf(model) ?? '*';
  return `the budget ${budgetText(budget)} for ${what === '*' ? 'all models' : what} at ${textOf(provider) ?? 'all providers'}`;
}

/** Whether a model configuration counts requests of the key. Bifrost also compares the base name of a model. */
function concernsKey(config: Values, scope: KeyScope, models: readonly string[] | undefined): boolean {
  const { scope: kind = 'global', scope_id: target } = config;
  const provider = textOf(config['provider']);
  const model = (textOf(config['model_name']) ?? '*').toLowerCase();
  if (kind === 'virtual_key' && textOf(target) !== scope.id) return false;
  if (kind === 'user' && textOf(target) !== textOf(scope.row['created_by_user_id'])) return false;
  if (provider !== undefined && !scope.providers.has(provider)) return false;
  const isListed = !models || models.some((each) => each.includes('*') || each.toLowerCase().includes(model));
  return model === '*' || isListed;
}

/** Whether it counts all requests of the key, so that its budget is one of the key. */
function countsAll(config: Values, { providers }: KeyScope, models: readonly string[] | undefined): boolean {
  const provider = textOf(config['provider']);
  const model = textOf(config['model_name']) ?? '*';
  if (provider !== undefined && providers.size > 1) return false;
  return model === '*' || (models?.length === 1 && models[0] === `${[...providers][0] ?? ''}/${model}`);
}

/** Limits of providers, and of the provider keys that the key may use. */
function providerLimits({ configs, providers }: KeyScope, source: BifrostSource): readonly string[] {
  const budgets = source.providers.flatMap((provider) => {
    const budget = source.budgets.find((each) => isNamed(each, provider['budget_id']));
    return budget && providers.has(textOf(provider['name']) ?? '') ? [partText(budget, provider['name'])] : [];
  });
  const parts = configs.filter((config) => providerKeysOf(config, source) === 'some');
  return [...budgets, ...parts.map((config) => `only some keys of the provider ${textOf(config['provider']) ?? ''}`)];
}

/** Which of the enabled keys of a provider a virtual key may use there. */
export function providerKeysOf(config: Values, source: BifrostSource): 'all' | 'some' | 'none' {
  if (isTrue(config['allow_all_keys'])) return 'all';
  const allowed = new Set(textsOf(config['keys']));
  if (allowed.size === 0) return 'none';
  const enabled = source.providerKeys.filter((key) => key['provider'] === config['provider'] && isEnabled(key));
  return enabled.every((key) => allowed.has(textOf(key['id']) ?? '')) ? 'all' : 'some';
}

/** Limits of tokens and requests: the gateway queues requests instead. */
function rateLimits(scope: KeyScope, source: BifrostSource): readonly string[] {
  const providers = source.providers.filter((each) => scope.providers.has(textOf(each['name']) ?? ''));
  const configs = source.modelConfigs.filter((each) => concernsKey(each, scope, undefined));
  const owners = [scope.row, ...scope.configs, ...(scope.team ? [scope.team] : []), ...scope.customers];
  const ids = new Set([...owners, ...providers, ...configs].map((each) => textOf(each['rate_limit_id'])));
  return source.rateLimits.flatMap((limit) => {
    if (!ids.has(textOf(limit['id']))) return [];
    return ['token', 'request'].flatMap((unit) => {
      const max = textOf(limit[`${unit}_max_limit`]);
      return max === undefined ? [] : [`${max} ${unit}s per ${textOf(limit[`${unit}_reset_duration`]) ?? ''}`];
    });
  });
}

/** Values that a newer version of Bifrost may check. */
function unknownLimits(scope: KeyScope, { unknown }: BifrostSource): readonly string[] {
  const names = unknown
    .filter(({ table, row }) => mayLimit(table, row, scope))
    .map(({ table, column }) => (column === undefined ? table : `${table}.${column}`));
  return [...new Set(names)].map((name) => `${name} (unknown here)`);
}

function mayLimit(table: string, row: Values, scope: KeyScope): boolean {
  const { id, configs, providers, team, customers } = scope;
  const ofKey = textOf(row['virtual_key_id']);
  if (ofKey !== undefined) return ofKey === id;
  switch (table) {
    case 'governance_virtual_keys':
      return row === scope.row || textOf(row['id']) === id;
    case 'governance_virtual_key_provider_config_keys':
      return configs.some((config) => isNamed(config, row['table_virtual_key_provider_config_id']));
    case 'governance_teams':
      return team !== undefined && isNamed(team, row['id']);
    case 'governance_customers':
      return customers.some((customer) => isNamed(customer, row['id']));
    case 'config_providers':
      return providers.has(textOf(row['name']) ?? '');
    case 'config_keys':
      return providers.has(textOf(row['provider']) ?? '');
    default:
      return table.startsWith('governance_');
  }
}
