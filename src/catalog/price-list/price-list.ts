import { isRecord } from '../../config/file/sections.ts';
import { liteLlmEntries, liteLlmKinds } from './litellm-table.ts';
import type { ListEntry } from './list-entry.ts';
import { modelsDevEntries, modelsDevKinds } from './models-dev-list.ts';
import { NumberText } from './number-text.ts';
import type { PriceKind } from './price-kinds.ts';

/** A price list, in US dollars. */
export interface PriceList {
  readonly form: 'models.dev' | 'litellm';
  readonly entries: readonly ListEntry[];
  /** The kinds of tokens that the form can price. */
  readonly kinds: ReadonlySet<PriceKind>;
}

export const listCurrency = 'USD';

/** Reads a price list in one of two public forms. `undefined`: the text has neither. */
export function readPriceList(text: string): PriceList | undefined {
  const data = parsed(text);
  if (!isRecord(data)) return undefined;
  const records = Object.values(data).filter(isRecord);
  if (records.some(({ models }) => isRecord(models)))
    return { form: 'models.dev', entries: modelsDevEntries(data), kinds: modelsDevKinds };
  if (records.some((record) => 'input_cost_per_token' in record || 'litellm_provider' in record))
    return { form: 'litellm', entries: liteLlmEntries(data), kinds: liteLlmKinds };
  return undefined;
}

/** Parses JSON and keeps the text of every number. `undefined`: the text is not JSON. */
function parsed(text: string): unknown {
  const keepNumbers = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? new NumberText(context?.source ?? '') : value;
  try {
    return JSON.parse(text, keepNumbers);
  } catch {
    return undefined;
  }
}
