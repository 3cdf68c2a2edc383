import { isRecord } from '../../../platform/config/file/sections.ts';
import { type ListEntry, listEntry, missingFields, type ReadTier, readPrices, tokenCount } from './list-entry.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';

/** Prices of one token. Suffixes name the lifetime of a cache, the length of the prompt and the service tier. */
const stems: Readonly<Record<string, PriceKind>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cached_input',
  cache_creation_input_token_cost: 'cache_write_5m',
  input_cost_per_audio_token: 'input_audio',
  input_cost_per_image_token: 'input_image',
  output_cost_per_reasoning_token: 'reasoning',
  output_cost_per_audio_token: 'output_audio',
};
const shift = 6;

export const liteLlmKinds: ReadonlySet<PriceKind> = new Set([
  ...Object.values(stems),
  'cache_write_30m',
  'cache_write_1h',
  'cache_write_12h',
]);

/** Models of other modes have other units, such as images and seconds. */
const modes: ReadonlySet<unknown> = new Set([undefined, 'chat', 'completion', 'responses', 'embedding']);

/** Reads an object of model names. */
export function liteLlmEntries(data: Readonly<Record<string, unknown>>): readonly ListEntry[] {
  return Object.entries(data).flatMap(([name, model]) =>
    isRecord(model) && modes.has(model.mode) ? [liteLlmEntry(name, model)] : [],
  );
}

/** Reads the prices of one model. Numbers are of the class `NumberText`. */
export function liteLlmEntry(name: string, model: Readonly<Record<string, unknown>>): ListEntry {
  const { litellm_provider: provider } = model;
  const { groups, unread } = groupsOf(model);
  const read = groups.map(({ kinds, ...when }) => ({ ...readPrices(model, { kinds, shift }), ...when, path: '' }));
  const [base, ...tiers] = read as [ReadTier, ...ReadTier[]];
  const names = { provider: typeof provider === 'string' ? provider : '', name };
  const invalid = [...base.invalid, ...missingFields(base, needed)];
  const entry = listEntry(names, { ...base, invalid }, tiers);
  const contextWindow = tokenCount(model.max_input_tokens);
  const maxOutputTokens = tokenCount(model.max_output_tokens);
  return {
    ...entry,
    ...(unread.length > 0 && { unread }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

const needed = { kinds: { input_cost_per_token: 'input', output_cost_per_token: 'output' }, shift } as const;

interface FieldGroup extends Pick<ReadTier, 'promptOver' | 'level'> {
  readonly kinds: Readonly<Record<string, PriceKind>>;
}

/**
 * The fields of each service tier and length of the prompt, those without either first, and the fields that were not
 * understood. A service tier needs input and output prices of its own: else its tokens would have those of no tier.
 */
function groupsOf(model: Readonly<Record<string, unknown>>) {
  const groups = new Map<string, FieldGroup>([[groupName({}), { kinds: {} }]]);
  const unread: string[] = [];
  const fields = Object.keys(model).filter((name) => ofTokens.test(name));
  for (const field of fields.filter((name) => model[name] !== undefined && model[name] !== null)) {
    const parsed = fieldOf(field);
    const { tier } = parsed ?? {};
    const isPriced = tier === undefined || Object.keys(needed.kinds).every((stem) => `${stem}_${tier}` in model);
    if (!parsed || !isPriced) {
      unread.push(field);
      continue;
    }
    const { kind, promptOver } = parsed;
    const level = tier === undefined ? {} : { level: { service_tier: tier === 'batches' ? 'batch' : tier } };
    const group = groups.get(groupName(parsed)) ?? { ...level, ...(promptOver && { promptOver }), kinds: {} };
    const kinds = { ...group.kinds, [field]: kind };
    groups.set(groupName(parsed), { ...group, kinds });
  }
  return { groups: [...groups.values()], unread };
}

function groupName({ tier = '', promptOver = 0 }: Partial<PriceField>): string {
  return `${tier} ${promptOver}`;
}

interface PriceField {
  readonly kind: PriceKind;
  /** The service tier, as the field names it. */
  readonly tier?: string | undefined;
  readonly promptOver?: number | undefined;
}

const serviceTiers: readonly unknown[] = ['balanced', 'batches', 'flex', 'priority', 'ultrafast'];
const lifetimes: Readonly<Record<string, PriceKind>> = { '1hr': 'cache_write_1h', '12hr': 'cache_write_12h' };
/** Prices of tokens. Other units, such as characters, may have thresholds of tokens. */
const ofTokens = /^tiered_pricing$|cost.*token(?!s)|token.*cost/;
const suffix = /_above_(?<hours>\d+hr)(?![a-z])|_above_(?<thousands>[1-9]\d{0,5})k_tokens|_(?<tier>[a-z]+)/gy;

/** Reads the name of a field. `undefined`: it has a part that is unknown. */
function fieldOf(field: string): PriceField | undefined {
  const stem = Object.keys(stems).find((each) => field.startsWith(each)) ?? '';
  const parts = [...field.slice(stem.length).matchAll(suffix)];
  const named = Object.fromEntries(
    parts.flatMap(({ groups = {} }) => Object.entries(groups).filter(([, text]) => text)),
  );
  const { hours, thousands, tier } = named;
  const kind = hours === undefined ? stems[stem] : stems[stem] === 'cache_write_5m' ? lifetimes[hours] : undefined;
  const isWhole = parts.map(([text]) => text).join('') === field.slice(stem.length);
  const isKnown = parts.length === Object.keys(named).length && (tier === undefined || serviceTiers.includes(tier));
  if (kind === undefined || !isWhole || !isKnown) return undefined;
  return { kind, tier, promptOver: thousands === undefined ? undefined : Number(thousands) * 1000 };
}
