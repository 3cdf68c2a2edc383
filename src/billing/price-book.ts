import type { Price, ToolPrices } from '../core/price.ts';
import type { Store } from '../store/store.ts';

const rowsMax = 500;

/** Stores the figures of every price version, so that old charges can be explained after a price change. */
export async function rememberPrices(store: Store, prices: readonly Price[]): Promise<void> {
  const known = new Set((await store.db.selectFrom('price_versions').select('version').execute()).map(versionOf));
  const unknown = new Map(prices.filter(({ version }) => !known.has(version)).map((price) => [price.version, price]));
  // Sorted, so that two processes cannot deadlock.
  const rows = [...unknown.values()].map(rowOf).sort((a, b) => (a.version < b.version ? -1 : 1));
  for (let start = 0; start < rows.length; start += rowsMax) {
    await store.db
      .insertInto('price_versions')
      .values(rows.slice(start, start + rowsMax))
      .onConflict((conflict) => conflict.column('version').doNothing())
      .execute();
  }
}

/** The figures of a version; `undefined` if it was never used here. */
export async function rememberedPrice(store: Store, version: string): Promise<Price | undefined> {
  const row = await store.db.selectFrom('price_versions').selectAll().where('version', '=', version).executeTakeFirst();
  return (
    row && {
      version,
      input: BigInt(row.input),
      cachedInput: BigInt(row.cached_input),
      cacheWrite5m: BigInt(row.cache_write_5m),
      cacheWrite1h: BigInt(row.cache_write_1h),
      output: BigInt(row.output),
      toolUses: usesFrom(row.tool_uses),
    }
  );
}

function versionOf({ version }: { readonly version: string }): string {
  return version;
}

function rowOf({ version, input, cachedInput, cacheWrite5m, cacheWrite1h, output, toolUses }: Price) {
  return {
    version,
    input: String(input),
    cached_input: String(cachedInput),
    cache_write_5m: String(cacheWrite5m),
    cache_write_1h: String(cacheWrite1h),
    output: String(output),
    tool_uses: usesText(toolUses),
  };
}

/** Free tools have no figures. */
function usesText(prices: ToolPrices): string | null {
  if (prices === 'free' || Object.keys(prices).length === 0) return null;
  return JSON.stringify(prices, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function usesFrom(text: string | null): ToolPrices {
  const figures = JSON.parse(text ?? '{}') as Record<string, string>;
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, BigInt(figure)]));
}
