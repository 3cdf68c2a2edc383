import {
  type Price,
  type PriceTier,
  type TokenPrices,
  tokenKinds,
  type ToolPrices,
  writePrices,
} from 'chat-formats/price.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Store } from '../../../platform/store/store.ts';

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
  return row && priceFrom(version, ownJson(row.price) as StoredFigures<Omit<Price, 'version'>>);
}

/** The package factors in these versions, in millionths. Versions that were never used here are left out. */
export async function rememberedFactors(
  store: Store,
  versions: readonly (string | null)[],
): Promise<ReadonlyMap<string, bigint>> {
  const wanted = [...new Set(versions.filter((version) => version !== null))];
  if (wanted.length === 0) return new Map();
  const rows = await store.db.selectFrom('price_versions').selectAll().where('version', 'in', wanted).execute();
  return new Map(rows.map(({ version, price }) => [version, BigInt((ownJson(price) as StoredFigures<Price>).factor)]));
}

function versionOf({ version }: { readonly version: string }): string {
  return version;
}

function rowOf({ version, ...price }: Price) {
  return { version, price: JSON.stringify(price, figureText) };
}

/** JSON has no type for figures of any size. */
function figureText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** A part of a price, with figures as text. */
type StoredFigures<Part> = Part extends bigint
  ? string
  : Part extends object
    ? { readonly [Name in keyof Part]: StoredFigures<Part[Name]> }
    : Part;

function priceFrom(version: string, stored: StoredFigures<Omit<Price, 'version'>>): Price {
  return {
    version,
    ...tokenPricesFrom(stored),
    toolUses: toolPricesFrom(stored.toolUses),
    tiers: stored.tiers.map(tierFrom),
    ...(stored.timeZone !== undefined && { timeZone: stored.timeZone }),
    factor: BigInt(stored.factor),
  };
}

/** A price that was stored before its lifetimes of caches had prices gets the prices at which they were charged. */
function tokenPricesFrom(stored: Partial<StoredFigures<TokenPrices>>): TokenPrices {
  const entries = tokenKinds.flatMap((kind) => (stored[kind] === undefined ? [] : [[kind, BigInt(stored[kind])]]));
  const figures = Object.fromEntries(entries) as TokenPrices;
  return { ...figures, ...writePrices(figures.input, figures) };
}

function toolPricesFrom(stored: StoredFigures<ToolPrices>): ToolPrices {
  if (stored === 'free') return 'free';
  return Object.fromEntries(Object.entries(stored).map(([name, figure]) => [name, BigInt(figure)]));
}

function tierFrom({ when, prices, factor }: StoredFigures<PriceTier>): PriceTier {
  return prices ? { when, prices: tokenPricesFrom(prices) } : { when, factor: BigInt(factor ?? 0) };
}
