import { isRecord } from '../../../platform/config/file/sections.ts';
import { liteLlmEntries, liteLlmKinds } from './litellm-table.ts';
import type { ListEntry } from './list-entry.ts';
import { modelsDevEntries, modelsDevKinds } from './models-dev-list.ts';
import { jsonWithNumberTexts } from 'chat-formats/json/number-text.ts';
import type { PriceKind } from '../../../core/price-kinds.ts';

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
  const data = jsonWithNumberTexts(text);
  if (!isRecord(data)) return undefined;
  const records = Object.values(data).filter(isRecord);
  if (records.some(({ models }) => isRecord(models)))
    return { form: 'models.dev', entries: modelsDevEntries(data), kinds: modelsDevKinds };
  if (records.some((record) => 'input_cost_per_token' in record || 'litellm_provider' in record))
    return { form: 'litellm', entries: liteLlmEntries(data), kinds: liteLlmKinds };
  return undefined;
}
