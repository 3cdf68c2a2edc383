import { isRecord } from '../../../platform/config/file/sections.ts';
import {
  type FormFields,
  type ListEntry,
  type ListLevel,
  listEntry,
  missingFields,
  type ReadTier,
  readPrices,
  tokenCount,
} from './list-entry.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';

/** Prices of a million tokens. */
const fields: FormFields = {
  kinds: {
    input: 'input',
    output: 'output',
    reasoning: 'reasoning',
    cache_read: 'cached_input',
    cache_write: 'cache_write_5m',
    input_audio: 'input_audio',
    output_audio: 'output_audio',
  },
  shift: 0,
};

export const modelsDevKinds: ReadonlySet<PriceKind> = new Set([...Object.values(fields.kinds), 'cache_write_30m']);

const longPrompt = 200_000;

/** Reads an object of providers. Models without a `cost` have no entry. */
export function modelsDevEntries(data: Readonly<Record<string, unknown>>): readonly ListEntry[] {
  return Object.entries(data).flatMap(([provider, value]) => {
    const models = isRecord(value) && isRecord(value.models) ? value.models : {};
    return Object.entries(models).flatMap(([name, model]) => (isRecord(model) ? entryOf(provider, name, model) : []));
  });
}

function entryOf(provider: string, name: string, model: Readonly<Record<string, unknown>>): readonly ListEntry[] {
  const { cost, limit, last_updated: date } = model;
  if (!isRecord(cost)) return [];
  const base = readPrices(cost, fields);
  const { modes, unread } = modesOf(model.experimental);
  const others = Object.keys(cost).filter((name) => !(name in fields.kinds) && !tierFields.has(name));
  const allUnread = [...others.map((name) => `cost.${name}`), ...unread, ...unreadTiers(cost)];
  const entry = listEntry({ provider, name }, { ...base, invalid: [...base.invalid, ...missingFields(base, fields)] }, [
    ...tiersOf(cost),
    ...modes,
  ]);
  const contextWindow = isRecord(limit) ? tokenCount(limit.context) : undefined;
  const maxOutputTokens = isRecord(limit) ? tokenCount(limit.output) : undefined;
  return [
    {
      ...entry,
      ...(allUnread.length > 0 && { unread: allUnread }),
      ...(typeof date === 'string' && { date }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
  ];
}

const tierFields: ReadonlySet<string> = new Set(['tiers', 'context_over_200k']);

/** `tiers` replaces `context_over_200k`, which older readers need: both describe the same prices. */
function tiersOf(cost: Readonly<Record<string, unknown>>): readonly ReadTier[] {
  const { tiers, context_over_200k: over } = cost;
  if (Array.isArray(tiers)) return tiers.filter(isRecord).flatMap(contextTier);
  return isRecord(over) ? [{ ...readPrices(over, fields), promptOver: longPrompt, path: 'context_over_200k.' }] : [];
}

function contextTier(prices: Readonly<Record<string, unknown>>, index: number): readonly ReadTier[] {
  const promptOver = thresholdOf(prices);
  return promptOver === undefined ? [] : [{ ...readPrices(prices, fields), promptOver, path: `tiers[${index}].` }];
}

function thresholdOf({ tier }: Readonly<Record<string, unknown>>): number | undefined {
  return isRecord(tier) && tier.type === 'context' ? tokenCount(tier.size) : undefined;
}

function unreadTiers({ tiers }: Readonly<Record<string, unknown>>): readonly string[] {
  if (!Array.isArray(tiers)) return [];
  return tiers.flatMap((tier, index) =>
    isRecord(tier) && thresholdOf(tier) !== undefined ? [] : `cost.tiers[${index}]`,
  );
}

/** Modes of a model, such as `fast`, with a cost and the fields of a request that select them. */
function modesOf(experimental: unknown): { readonly modes: readonly ReadTier[]; readonly unread: readonly string[] } {
  const modes = isRecord(experimental) && isRecord(experimental.modes) ? experimental.modes : {};
  const priced = Object.entries(modes).flatMap(([name, mode]) => {
    if (!isRecord(mode) || !isRecord(mode.cost)) return [];
    const level = levelOf(mode.provider);
    const path = `experimental.modes.${name}.cost`;
    return [{ path, tier: level && { ...readPrices(mode.cost, fields), level, path: `${path}.` } }];
  });
  return {
    modes: priced.flatMap(({ tier }) => tier ?? []),
    unread: priced.flatMap(({ tier, path }) => (tier ? [] : path)),
  };
}

/** `undefined` if other fields select it too. */
function levelOf(provider: unknown): ListLevel | undefined {
  const body = isRecord(provider) && isRecord(provider.body) ? provider.body : {};
  const level = Object.entries(body);
  const isLevel = level.every(([name, value]) => isLevelName(name) && typeof value === 'string');
  return isLevel && level.length > 0
    ? Object.fromEntries(level.map(([name, value]) => [name, String(value)]))
    : undefined;
}

function isLevelName(name: string): boolean {
  return name === 'service_tier' || name === 'speed';
}
