import type { Resource } from '../../api/resource.ts';
import type { CatalogModel, NewModel } from '../../api/wire.ts';
import { useAllRows, useRead } from '../../api/queries.ts';

/** A configured model, and its catalog entry. Undefined if none of its upstreams is in use. */
export interface ModelRow {
  readonly entry: Resource<NewModel>;
  readonly inUse: CatalogModel | undefined;
}

/** All models, joined with the catalog. */
export function useModelRows() {
  const entries = useAllRows<Resource<NewModel>>('/admin/v1/models');
  const catalog = useRead<{ readonly data: readonly CatalogModel[] }>('/admin/v1/catalog/models');
  const byId = new Map(catalog.data?.data.map((model) => [model.id, model]));
  return {
    rows: entries.data?.map((entry): ModelRow => ({ entry, inUse: byId.get(entry.name) })),
    error: entries.error ?? catalog.error,
    retry: () => void Promise.all([entries.refetch(), catalog.refetch()]),
  };
}

/** The models whose id, alias, owner or route contains the text, and that use the chosen upstream. */
export function foundModels(
  rows: readonly ModelRow[],
  search: string,
  upstream: string | undefined,
): readonly ModelRow[] {
  const query = search.trim().toLowerCase();
  return rows.filter(({ entry: { spec } }) => {
    if (upstream !== undefined && !spec.routes.some((route) => route.upstream === upstream)) return false;
    const words = [
      spec.id,
      spec.owned_by ?? '',
      ...(spec.aliases ?? []),
      ...spec.routes.map(({ model = '' }) => model),
    ];
    return query === '' || words.some((word) => word.toLowerCase().includes(query));
  });
}
