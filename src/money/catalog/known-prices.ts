import table from './known-prices.json' with { type: 'json' };
import { type PriceKind, priceKinds } from '../../core/price-kinds.ts';

/** The price of a model on a given day, in `knownCurrency` per million tokens. It is a suggestion: prices change. */
export interface KnownPrice extends KnownKinds {
  readonly model: string;
  readonly provider: string;
  /** The day on which the price was valid. */
  readonly as_of: string;
  /** Prices of long prompts, in the form of a catalog entry. */
  readonly tiers?: readonly KnownTier[];
  readonly context_window?: number;
  readonly max_output_tokens?: number;
}

export interface KnownTier extends KnownKinds {
  readonly when: { readonly prompt_over: number };
}

type KnownKinds = Readonly<Record<'input' | 'output', string> & Partial<Record<PriceKind, string>>>;

export const knownPrices: readonly KnownPrice[] = table.facts;
export const knownCurrency = table.currency;

const byModel: ReadonlyMap<string, KnownPrice> = new Map(knownPrices.map((known) => [known.model, known]));

/**
 * Returns the known price of a model that a provider lists under this name. The name may have its vendor as a prefix,
 * and a date or `latest` as a suffix. Any other difference makes it another model, without a known price.
 */
export function knownPrice(name: string): KnownPrice | undefined {
  const { own, unstamped } = nameForms(name);
  return byModel.get(own) ?? byModel.get(unstamped);
}

/** The forms of a provider's model name that price tables are searched for: without its vendor, and also without its date. */
export function nameForms(name: string): { readonly own: string; readonly unstamped: string } {
  const own = name.toLowerCase().replace(/^.*\//, '');
  return { own, unstamped: own.replace(stamp, '') };
}

/** `-2025-08-07`, `-20250514`, `@20250514`, `-03-2025`, `-2411` or `-latest` at the end of a name. */
const stamp = /[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{4}|latest)$/;

/** Returns the price in the form of a catalog entry. */
export function catalogPrice(known: KnownPrice): CatalogPrice {
  const source = `table of chat-gateway, ${known.as_of}`;
  return { ...priceFields(known), ...(known.tiers && { tiers: known.tiers }), source };
}

export interface CatalogPrice extends KnownKinds {
  readonly tiers?: readonly KnownTier[];
  readonly source: string;
}

/** Returns the prices without tiers. */
export function priceFields(known: KnownKinds): KnownKinds {
  const named = priceKinds.filter((kind) => known[kind] !== undefined);
  return Object.fromEntries(named.map((kind) => [kind, known[kind]])) as KnownKinds;
}
