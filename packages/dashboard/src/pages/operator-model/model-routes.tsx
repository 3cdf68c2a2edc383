import { Text, Title } from '@mantine/core';
import type { HealthName, Resource } from '../../api/resource.ts';
import type { CatalogModel, NewModel, PerformanceFigures } from '../../api/wire.ts';
import { asPages, useRead } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { PerformanceCell } from '../../components/performance.tsx';
import { HealthState } from '../../components/status.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';

interface ModelRouteRow {
  readonly upstream: string;
  readonly model: string;
  readonly priority: number;
  readonly weight: number;
  readonly state: HealthName | null;
  readonly performance: PerformanceFigures | undefined;
}

export function useCatalogModels() {
  return useRead<{ readonly data: readonly CatalogModel[] }>('/admin/v1/catalog/models', {}, { refetchInterval: 5000 });
}

/** The routes of a model in failover order, and their health. */
export function ModelRoutes({ entry: { name, spec } }: { readonly entry: Resource<NewModel> }) {
  const { t } = useText();
  const format = useFormat();
  const catalog = useCatalogModels();
  const inUse = catalog.data?.data.find(({ id }) => id === name);
  const stateOf = (upstream: string) => inUse?.routes.find((route) => route.upstream === upstream)?.state ?? null;
  const performanceOf = (upstream: string, model: string) =>
    inUse?.routes.find((route) => route.upstream === upstream && route.model === model)?.performance.week;
  const rows = spec.routes
    .map(
      ({ upstream, model = name, priority = 0, weight = 1 }): ModelRouteRow => ({
        upstream,
        model,
        priority,
        weight,
        state: stateOf(upstream),
        performance: performanceOf(upstream, model),
      }),
    )
    .toSorted((one, other) => one.priority - other.priority);
  const columns: readonly Column<ModelRouteRow>[] = [
    {
      key: 'upstream',
      header: t('upstreams.one'),
      cell: ({ upstream }) => upstream,
    },
    { key: 'model', header: t('routes.routeModel'), cell: ({ model }) => model },
    { key: 'state', header: t('upstreams.state'), cell: ({ state }) => <HealthState state={state} /> },
    {
      key: 'priority',
      header: t('routes.routeOrder'),
      align: 'right',
      cell: ({ priority }) => format.number([...new Set(rows.map((row) => row.priority))].indexOf(priority) + 1),
    },
    { key: 'weight', header: t('routes.weight'), align: 'right', cell: ({ weight }) => format.number(weight) },
    {
      key: 'performance',
      header: t('performance.week'),
      align: 'right',
      cell: ({ performance }) => <PerformanceCell figures={performance} />,
    },
  ];
  return (
    <section>
      <Title order={2} mb="md">
        {t('routes.partRoutes')}
      </Title>
      <DataTable
        label={t('routes.partRoutes')}
        columns={columns}
        pages={asPages({ data: rows })}
        rowKey={({ upstream, model, priority }) => `${upstream} ${model} ${priority}`}
        rowLink={({ upstream }) => `/app/operator/upstreams/${encodeURIComponent(upstream)}`}
        empty={null}
      />
      <Text fz="sm" c="dimmed" mt="xs">
        {t('performance.routesHelp')}
      </Text>
    </section>
  );
}
