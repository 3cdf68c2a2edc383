import { isRecord } from '../../../platform/config/file/sections.ts';
import type { ShownRow } from '../resource-rows.ts';
import { entryFinder, type EntryMatch, type WantedEntry } from './find-entry.ts';
import { importedPrice, type StoredPrice } from './imported-price.ts';
import type { ListEntry } from './list-entry.ts';
import { type ChangeHold, type PriceChange, priceChanges } from './price-changes.ts';
import type { PriceList } from './price-list.ts';

/** The fields of a catalog entry that the import reads. */
export type CatalogRow = Pick<ShownRow, 'name' | 'source' | 'spec' | 'version'>;

/** The result of comparing one model of the catalog with the list. */
export type ModelPlan = { readonly model: CatalogRow } & (
  | { readonly status: 'unlisted' }
  | { readonly status: 'ambiguous'; readonly entries: readonly ListEntry[] }
  | { readonly status: 'invalid' | 'unchanged'; readonly entry: ListEntry }
  | ChangePlan
);

export interface ChangePlan {
  /** `held`: an operator must confirm the change. */
  readonly status: 'changed' | 'held';
  readonly entry: ListEntry;
  /** The new `price` of the catalog entry. */
  readonly price: Readonly<Record<string, unknown>>;
  readonly changes: readonly PriceChange[];
  /** `rounded`: the list has more digits than the catalog stores. Empty if nothing is suspicious. */
  readonly holds: readonly (ChangeHold | 'rounded')[];
}

/** Compares models with a price list. Changes nothing. */
export function planImport(
  list: PriceList,
  models: readonly CatalogRow[],
  upstreams: readonly CatalogRow[],
): readonly ModelPlan[] {
  const find = entryFinder(list.entries);
  const providers = new Map(upstreams.map((row) => [row.name, providersOf(row)]));
  return models.map((model) => {
    const wanted = routesOf(model, providers);
    const match = wanted.map(find).find((each) => each !== undefined);
    return { model, ...outcomeOf(model, match, list) };
  });
}

function outcomeOf(model: CatalogRow, match: EntryMatch, { kinds }: PriceList) {
  if (!match) return { status: 'unlisted' as const };
  if (match.ambiguous) return { status: 'ambiguous' as const, entries: match.ambiguous };
  const { entry } = match;
  if (entry.invalid.length > 0) return { status: 'invalid' as const, entry };
  const stored = storedPrice(model);
  const price = importedPrice(stored, entry, kinds);
  const changes = priceChanges(stored, price);
  if (changes.length === 0) return { status: 'unchanged' as const, entry };
  const ofChanges = changes.flatMap(({ hold }) => hold ?? []);
  const holds = [...new Set([...ofChanges, ...(entry.rounded.length > 0 ? (['rounded'] as const) : [])])];
  return { status: holds.length > 0 ? ('held' as const) : ('changed' as const), entry, price, changes, holds };
}

function storedPrice({ spec }: CatalogRow): StoredPrice {
  return isRecord(spec.price) ? spec.price : 'free';
}

/** The routes of a model, those that are tried first at the front. */
function routesOf(
  { name, spec }: CatalogRow,
  providers: ReadonlyMap<string, readonly string[]>,
): readonly WantedEntry[] {
  const routes = Array.isArray(spec.routes) ? spec.routes.filter(isRecord) : [];
  return routes
    .toSorted((one, other) => priorityOf(one) - priorityOf(other))
    .map(({ upstream, model }) => ({
      name: typeof model === 'string' ? model : name,
      providers: providers.get(String(upstream)) ?? [String(upstream)],
    }));
}

function priorityOf({ priority }: Readonly<Record<string, unknown>>): number {
  return typeof priority === 'number' ? priority : 0;
}

/** An upstream with an address of its own is often another provider that speaks the format of its `kind`. */
function providersOf({ name, spec }: CatalogRow): readonly string[] {
  const { kind, base_url: address } = spec;
  return typeof kind === 'string' && address === undefined ? [kind, name] : [name];
}
