import table from './known-prices.json' with { type: 'json' };

/** What a model was known to cost on a day, in `knownCurrency` for a million tokens. A suggestion: prices change. */
export interface KnownPrice {
  readonly model: string;
  readonly provider: string;
  /** The day of the fact. */
  readonly as_of: string;
  readonly input: string;
  readonly output: string;
  readonly cached_input?: string;
  readonly cache_write_5m?: string;
  readonly cache_write_1h?: string;
  readonly context_window?: number;
  readonly max_output_tokens?: number;
}

export const knownPrices: readonly KnownPrice[] = table.facts;
export const knownCurrency = table.currency;

const byModel: ReadonlyMap<string, KnownPrice> = new Map(knownPrices.map((known) => [known.model, known]));

/**
 * What is known of a model that a provider lists under this name. A name may have its maker before it, and behind it a
 * date or `latest`; whatever else it says makes it another model, of which nothing is known.
 */
export function knownPrice(name: string): KnownPrice | undefined {
  const own = name.toLowerCase().replace(/^.*\//, '');
  return byModel.get(own) ?? byModel.get(own.replace(stamp, ''));
}

/** `-2025-08-07`, `-20250514`, `@20250514`, `-03-2025`, `-2411` or `-latest` at the end of a name. */
const stamp = /[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{4}|latest)$/;

/** The price of a model as a catalog entry says it. */
export function priceFields({ input, output, ...known }: KnownPrice): Readonly<Record<string, string>> {
  const { cached_input, cache_write_5m, cache_write_1h } = known;
  return {
    input,
    output,
    ...(cached_input !== undefined && { cached_input }),
    ...(cache_write_5m !== undefined && { cache_write_5m }),
    ...(cache_write_1h !== undefined && { cache_write_1h }),
  };
}
