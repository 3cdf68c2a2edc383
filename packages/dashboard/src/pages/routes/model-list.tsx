import { Badge } from '@mantine/core';
import { useState } from 'react';
import type { PriceSpec } from '../../api/resource.ts';
import type { Pages } from '../../api/queries.ts';
import { FileMark, NamedCell } from '../../components/cells.tsx';
import { Clip } from '../../components/clip.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { HealthState } from '../../components/status.tsx';
import { PerformanceCell } from '../../components/performance.tsx';
import { Money } from '../../components/money.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { PlusIcon, RoutesIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { foundModels, type ModelRow, useModelRows } from './model-rows.ts';
import { defaultSurfaces, surfaceName } from './model-values.ts';
import { rowsOf } from './route-order.ts';
import classes from './routes.module.css';
import { ToolCallShare } from './tool-calls.tsx';

const shownAtOnce = 100;

const command = 'chat-gateway models add gpt-5 --route openai --input 1.25 --output 10';

/** All models with price, surfaces and routes. */
export function ModelList({ mayWrite }: { readonly mayWrite: boolean }) {
  const { t } = useText();
  const { rows, error, retry } = useModelRows();
  const [{ q = '', upstream }] = useFilters(['q', 'upstream']);
  const [shown, setShown] = useState(shownAtOnce);
  const columns = useColumns();
  const view = useTableView('operator-models');
  const terminal = usePageText(tableTexts)('terminal');
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
          { name: 'q', label: t('routes.search'), width: 240, isSearch: true },
          {
            name: 'upstream',
            label: t('upstreams.one'),
            options: upstreams.map((name) => ({ value: name, label: name })),
            width: 200,
          },
        ]}
        tools={<ViewMenu view={view} columns={columns} />}
      />
      <DataTable
        label={t('nav.routes')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ entry }) => entry.name}
        rowLink={({ entry }) => `/app/operator/models/${encodeURIComponent(entry.name)}`}
        empty={
          isFiltered ? (
            <EmptyState
              title={t('routes.noneFoundTitle')}
              text={t('routes.noneFoundText')}
              action={<ClearFilters names={['q', 'upstream']} />}
            />
          ) : (
            <EmptyState
              icon={<RoutesIcon />}
              title={t('routes.emptyTitle')}
              text={t('routes.emptyText')}
              action={mayWrite && <AddModelButton />}
              code={<CodeBlock snippets={[{ name: terminal, code: command }]} />}
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
      phone: 'lead',
      cell: ({ entry: { spec, source } }) => (
        <NamedCell name={spec.id} more={spec.aliases?.join(', ')}>
          <FileMark source={source} />
        </NamedCell>
      ),
    },
    {
      key: 'surfaces',
      header: t('routes.surfaces'),
      choice: 'shown',
      dropOrder: 5,
      cell: ({ entry }) => (
        <Clip>
          {(entry.spec.surfaces ?? defaultSurfaces).map((surface) => (
            <Badge key={surface} color="gray" mr={4}>
              {surfaceName(surface, t)}
            </Badge>
          ))}
        </Clip>
      ),
    },
    {
      key: 'input',
      header: t('routes.priceInput'),
      align: 'right',
      phone: 'trail',
      cell: ({ entry }) => <Price price={entry.spec.price} name="input" />,
    },
    {
      key: 'output',
      header: t('routes.priceOutput'),
      align: 'right',
      phone: 'end',
      cell: ({ entry }) => <Price price={entry.spec.price} name="output" />,
    },
    {
      key: 'context',
      header: t('routes.context'),
      align: 'right',
      choice: 'shown',
      dropOrder: 4,
      cell: ({ entry }) => (entry.spec.context_window === undefined ? '–' : format.compact(entry.spec.context_window)),
    },
    { key: 'routes', header: t('routes.partRoutes'), phone: 'note', cell: (row) => <RouteChips row={row} /> },
    {
      key: 'performance',
      header: t('performance.week'),
      align: 'right',
      choice: 'shown',
      dropOrder: 2,
      cell: ({ inUse }) => <PerformanceCell figures={inUse?.performance.week} />,
    },
    {
      key: 'tools',
      header: t('routes.toolCalls'),
      align: 'right',
      choice: 'shown',
      dropOrder: 3,
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
    <Clip>
      {rowsOf(entry.spec.routes).map(({ key, upstream, together }) => (
        <span key={key} className={classes['route']}>
          {key > 0 && <span aria-hidden="true">{together ? '+' : '→'}</span>}
          <HealthState state={inUse?.routes.find((route) => route.upstream === upstream)?.state ?? null} dotOnly />
          {upstream}
        </span>
      ))}
    </Clip>
  );
}
