import { isRecord } from '../../../platform/config/file/sections.ts';
import { type FormFields, type ListEntry, listEntry, missingFields, readPrices, tokenCount } from './list-entry.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';

/** Prices of one token. */
const fields: FormFields = {
  kinds: {
    input_cost_per_token: 'input',
    output_cost_per_token: 'output',
    cache_read_input_token_cost: 'cached_input',
    cache_creation_input_token_cost: 'cache_write_5m',
    cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
    input_cost_per_audio_token: 'input_audio',
    input_cost_per_image_token: 'input_image',
    output_cost_per_reasoning_token: 'reasoning',
    output_cost_per_audio_token: 'output_audio',
  },
  shift: 6,
};

export const liteLlmKinds: ReadonlySet<PriceKind> = new Set(Object.values(fields.kinds));

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
  const base = readPrices(model, fields);
  const names = { provider: typeof provider === 'string' ? provider : '', name };
  const entry = listEntry(
    names,
    { ...base, invalid: [...base.invalid, ...missingFields(base, fields)] },
    tiersOf(model),
  );
  const contextWindow = tokenCount(model.max_input_tokens);
  const maxOutputTokens = tokenCount(model.max_output_tokens);
  return {
    ...entry,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** The prices of long prompts are fields of their own, such as `input_cost_per_token_above_200k_tokens`. */
function tiersOf(model: Readonly<Record<string, unknown>>) {
  const thresholds = new Set(
    Object.keys(model).flatMap((field) => {
      const thousands = above.exec(field)?.groups?.thousands;
      return thousands === undefined ? [] : [Number(thousands)];
    }),
  );
  return [...thresholds].map((thousands) => {
    const suffix = `_above_${thousands}k_tokens`;
    const kinds = Object.fromEntries(Object.entries(fields.kinds).map(([field, kind]) => [field + suffix, kind]));
    return { ...readPrices(model, { ...fields, kinds }), promptOver: thousands * 1000, path: '' };
  });
}

const above = /^(?:input|output|cache)_\w+_above_(?<thousands>[1-9]\d{0,5})k_tokens$/;
