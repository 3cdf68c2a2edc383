import type { z } from 'zod';
import type { modelSchema } from '../../platform/config/schema/model.ts';
import { catalogPrice, knownPrice } from '../../money/catalog/known-prices.ts';
import { entryFinder, type EntryMatch, type WantedEntry } from '../../money/catalog/price-list/find-entry.ts';
import { importedPrice } from '../../money/catalog/price-list/imported-price.ts';
import type { ListEntry } from '../../money/catalog/price-list/list-entry.ts';
import { liteLlmKinds } from '../../money/catalog/price-list/litellm-table.ts';
import type { FindingList, FindingSubject } from './findings.ts';

type ModelInput = z.input<typeof modelSchema>;

export type PricedModel = Pick<ModelInput, 'price' | 'context_window' | 'max_output_tokens'>;

/** Prices of models in a list, then in the table of the gateway. */
export class ModelPrices {
  readonly #find: (wanted: WantedEntry) => EntryMatch;
  readonly #findings: FindingList;

  constructor(list: readonly ListEntry[], findings: FindingList) {
    this.#find = entryFinder(list);
    this.#findings = findings;
  }

  find(wanted: WantedEntry, subject: FindingSubject): PricedModel | undefined {
    const listed = this.#find(wanted)?.entry;
    if (listed) return this.ofEntry(listed, subject);
    const known = knownPrice(wanted.name);
    if (!known) return undefined;
    this.#findings.add('price_from_table', subject, { model: wanted.name, day: known.as_of });
    return { price: { ...catalogPrice(known), tiers: [...(known.tiers ?? [])] } };
  }

  /** `undefined`: it has fields that are no prices. A price of one direction only is complete: embeddings have it. */
  ofEntry(entry: ListEntry, subject: FindingSubject): PricedModel | undefined {
    const missing = entry.invalid.filter(({ problem }) => problem === 'missing').map(({ field }) => field);
    if (entry.invalid.length > missing.length || missing.length > 1) return undefined;
    const zero = Object.fromEntries(missing.map((field) => [field.startsWith('input') ? 'input' : 'output', 0n]));
    for (const field of entry.rounded) this.#findings.add('price_rounded', subject, { field });
    const price = importedPrice('free', { ...entry, prices: { ...zero, ...entry.prices } }, liteLlmKinds);
    return {
      price: price as ModelInput['price'],
      ...(entry.contextWindow !== undefined && { context_window: entry.contextWindow }),
      ...(entry.maxOutputTokens !== undefined && { max_output_tokens: entry.maxOutputTokens }),
    };
  }
}
