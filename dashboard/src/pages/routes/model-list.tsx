import { Badge, Group } from '@mantine/core';
import { useState } from 'react';
import type { PriceSpec } from '../../api/resource.ts';
import type { Pages } from '../../api/queries.ts';
import { FileMark } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { HealthState } from '../../components/status.tsx';
import { PerformanceCell } from '../../components/performance.tsx';
import { Money } from '../../components/money.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { PlusIcon, RoutesIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { foundModels, type ModelRow, useModelRows } from './model-rows.ts';
import { defaultSurfaces, surfaceName } from './model-values.ts';
import { rowsOf } from './route-order.ts';
import classes from './routes.module.css';
import { ToolCallShare } from './tool-calls.tsx';

const shownAtOnce = 100;

/** All models with price, surfaces and routes. */
export function ModelList({ mayWrite }: { readonly mayWrite: boolean }) {
  const { t } = useText();
  const { rows, error, retry } = useModelRows();
  const [{ q = '', upstream }] = useFilters(['q', 'upstream']);
  const [shown, setShown] = useState(shownAtOnce);
  const columns = useColumns();
  const found = rows && foundModels(rows, q, upstream);
  const upstreams = [...new Set(rows?.flatMap(({ entry }) => entry.spec.routes.map((route) => route.upstream)))];
  const pages: Pages<ModelRow> = {
    rows: found?.slice(0, shown),
    error,
    hasMore: (found?.length ?? 0) > shown,
    isLoadingMore: false,
    loadMore: () => setShown(shown + shownAtOnce),
    retry,
  };
  const isFiltered = q !== '' || upstream !== undefined;
  return (
    <>
      <FilterBar
        fields={[
          { name: 'q', label: t('routes.search'), width: 240 },
          {
            name: 'upstream',
            label: t('upstreams.one'),
            options: upstreams.map((name) => ({ value: name, label: name })),
            width: 200,
          },
        ]}
      />
      <DataTable
        label={t('nav.routes')}
        columns={columns}
        pages={pages}
        rowKey={({ entry }) => entry.name}
        rowLink={({ entry }) => `/app/operator/models/${encodeURIComponent(entry.name)}`}
        empty={
          isFiltered ? (
            <EmptyState title={t('routes.noneFoundTitle')} text={t('routes.noneFoundText')} />
          ) : (
            <EmptyState
              icon={<RoutesIcon />}
              title={t('routes.emptyTitle')}
              text={t('routes.emptyText')}
              action={mayWrite && <AddModelButton />}
            />
          )
        }
      />
    </>
  );
}

export function AddModelButton() {
  const { t } = useText();
  return (
    <ViewButton to="/app/operator/models" search={{ add: 'new' }} leftSection={<PlusIcon size={16} />}>
      {t('routes.add')}
    </ViewButton>
  );
}

function useColumns(): readonly Column<ModelRow>[] {
  const { t } = useText();
  const format = useFormat();
  return [
    {
      key: 'id',
      header: t('routes.model'),
      cell: ({ entry: { spec, source } }) => (
        <span>
          {spec.id}
          <FileMark source={source} />
          {spec.aliases && spec.aliases.length > 0 && <span className={classes['sub']}>{spec.aliases.join(', ')}</span>}
        </span>
      ),
    },
    {
      key: 'surfaces',
      header: t('routes.surfaces'),
      wideOnly: true,
      cell: ({ entry }) => (
        <Group gap={4}>
          {(entry.spec.surfaces ?? defaultSurfaces).map((surface) => (
            <Badge key={surface} color="gray">
              {surfaceName(surface, t)}
            </Badge>
          ))}
        </Group>
      ),
    },
    {
      key: 'input',
      header: t('routes.priceInput'),
      align: 'right',
      cell: ({ entry }) => <Price price={entry.spec.price} name="input" />,
    },
    {
      key: 'output',
      header: t('routes.priceOutput'),
      align: 'right',
      cell: ({ entry }) => <Price price={entry.spec.price} name="output" />,
    },
    {
      key: 'context',
      header: t('routes.context'),
      align: 'right',
      wideOnly: true,
      cell: ({ entry }) => (entry.spec.context_window === undefined ? '–' : format.compact(entry.spec.context_window)),
    },
    { key: 'routes', header: t('routes.partRoutes'), cell: (row) => <RouteChips row={row} /> },
    {
      key: 'performance',
      header: t('performance.week'),
      align: 'right',
      cell: ({ inUse }) => <PerformanceCell figures={inUse?.performance.week} />,
    },
    {
      key: 'tools',
      header: t('routes.toolCalls'),
      align: 'right',
      cell: ({ inUse }) => <ToolCallShare calls={inUse?.tool_calls} />,
    },
  ];
}

function Price({ price, name }: { readonly price: 'free' | PriceSpec; readonly name: 'input' | 'output' }) {
  const { t } = useText();
  return price === 'free' ? <>{t('routes.freeWord')}</> : <Money amount={price[name]} exact />;
}

function RouteChips({ row: { entry, inUse } }: { readonly row: ModelRow }) {
  return (
    <span className={classes['routes']}>
      {rowsOf(entry.spec.routes).map(({ key, upstream, together }) => (
        <span key={key} className={classes['route']}>
          {key > 0 && <span aria-hidden="true">{together ? '+' : '→'}</span>}
          <HealthState state={inUse?.routes.find((route) => route.upstream === upstream)?.state ?? null} dotOnly />
          {upstream}
        </span>
      ))}
    </span>
  );
}
