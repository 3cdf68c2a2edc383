import { isRecord } from '../../../platform/config/file/sections.ts';
import { type FormFields, type ListEntry, listEntry, missingFields, readPrices, tokenCount } from './list-entry.ts';
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

export const modelsDevKinds: ReadonlySet<PriceKind> = new Set(Object.values(fields.kinds));

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
  const entry = listEntry(
    { provider, name },
    { ...base, invalid: [...base.invalid, ...missingFields(base, fields)] },
    tiersOf(cost),
  );
  const contextWindow = isRecord(limit) ? tokenCount(limit.context) : undefined;
  const maxOutputTokens = isRecord(limit) ? tokenCount(limit.output) : undefined;
  return [
    {
      ...entry,
      ...(typeof date === 'string' && { date }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
  ];
}

/** `tiers` replaces `context_over_200k`, which older readers need: both describe the same prices. */
function tiersOf(cost: Readonly<Record<string, unknown>>) {
  const { tiers, context_over_200k: over } = cost;
  if (Array.isArray(tiers)) return tiers.filter(isRecord).flatMap(contextTier);
  return isRecord(over) ? [{ ...readPrices(over, fields), promptOver: longPrompt, path: 'context_over_200k.' }] : [];
}

function contextTier(prices: Readonly<Record<string, unknown>>, index: number) {
  const { tier } = prices;
  const promptOver = isRecord(tier) && tier.type === 'context' ? tokenCount(tier.size) : undefined;
  return promptOver === undefined ? [] : [{ ...readPrices(prices, fields), promptOver, path: `tiers[${index}].` }];
}
