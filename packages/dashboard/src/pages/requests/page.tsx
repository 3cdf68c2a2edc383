import { Alert, Button } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { useModels } from '../../api/own-account.ts';
import { type Pages, usePages, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Balance, Key } from '../../api/wire.ts';
import { keptFor, useStoredBodies } from '../../components/body-terms.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { ClearFilters, useIsPhone } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { exampleOf, snippetsOf } from '../../components/model-snippets.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { saveRows } from '../../components/row-export.ts';
import type { TableSelection } from '../../components/table-selection.ts';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { RequestsIcon, WarningIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { IdSearch } from './id-search.tsx';
import { useNewIds } from './new-ids.ts';
import { type ListedRequest, type RequestListPage, useRequestColumns } from './request-columns.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { filterNames, type RequestFilters, requestQuery } from './request-query.ts';
import { LiveTail, liveMs, OrderChoice, SearchDepth } from './request-tools.tsx';
import { allRequests, ownRequests, requestPath, type Scope } from './scope.ts';

export default function RequestsPage() {
  return <RequestList scope={ownRequests} />;
}

export function OperatorPage() {
  return <RequestList scope={allRequests} />;
}

/** Requests, filtered and ordered by the URL. In live mode, new ones appear automatically. */
function RequestList({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const [filters, change] = useFilters(filterNames);
  const { order, live, ...narrowing } = filters;
  // A range that ends now would change the query on every render. So "now" is the time at which the filters changed.
  const chosen = JSON.stringify(narrowing);
  const query = useMemo(() => requestQuery(JSON.parse(chosen) as RequestFilters, Date.now()), [chosen]);
  const isFollowable = (order ?? 'newest') === 'newest' && query['until'] === undefined;
  const isLive = live !== undefined && isFollowable;
  const pages = usePages<ListedRequest, RequestListPage>(scope.api, { ...query, order }, isLive ? liveMs : undefined);
  const newIds = useNewIds(
    pages.rows?.map(({ id }) => id),
    isLive,
  );
  const choose = useCallback((chosenOrder: string) => change({ order: chosenOrder }), [change]);
  const columns = useRequestColumns({ scope, order, choose });
  const view = useTableView(scope.isOperator ? 'operator-requests' : 'requests');
  const selection = useRequestSelection(scope);
  const isPhone = useIsPhone();
  const liveTail = <LiveTail isPossible={isFollowable} pages={pages} />;
  const tools = (
    <>
      {isPhone ? <IdSearch scope={scope} /> : liveTail}
      <ExportButton path={`${scope.api}.csv`} query={query} name="requests" />
      <ViewMenu view={view} columns={columns} />
    </>
  );
  return (
    <>
      <PageHeader
        withAge={!isLive}
        title={t(scope.isOperator ? 'nav.allRequests' : 'nav.requests')}
        description={t(scope.isOperator ? 'requests.operatorDescription' : 'requests.description')}
        actions={!isPhone && <IdSearch scope={scope} />}
      />
      <RequestFilterBar
        scope={scope}
        tools={tools}
        sheet={
          <>
            <OrderChoice />
            {liveTail}
          </>
        }
      />
      {filters.key !== undefined && <StoredKeyNotice scope={scope} keyId={filters.key} />}
      <SearchDepth order={order} last={pages.last} />
      <DataTable
        label={t('requests.label')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => requestPath(scope, id)}
        rowSearch={filters}
        isNew={({ id }) => newIds.has(id)}
        selection={selection}
        empty={<NothingListed scope={scope} pages={pages} isFiltered={Object.keys(narrowing).length > 0} />}
      />
    </>
  );
}

/** Selected requests can be exported. */
function useRequestSelection({ isOperator }: Scope): TableSelection<ListedRequest> {
  const p = usePageText(tableTexts);
  const { currency } = useSession();
  const fields = isOperator ? [...exported, ...exportedForOperators] : exported;
  return {
    nameOf: ({ id }) => id,
    actions: [
      {
        key: 'export',
        label: p('exportSelected'),
        run: (rows) =>
          saveRows(
            'requests',
            fields,
            rows.map((row) => ({ ...row, currency })),
          ),
      },
    ],
  };
}

/** The columns of the export of all requests. */
const exported = [
  'started_at',
  'id',
  'account_id',
  'key_id',
  'key_name',
  'user_id',
  'site',
  'surface',
  'requested_model',
  'model',
  'status',
  'error_case',
  'finish',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'usage_source',
  'cost',
  'currency',
  'wait_ms',
  'first_byte_ms',
  'duration_ms',
  'client_gone',
] as const;
const exportedForOperators = ['account_name', 'upstream'] as const;

interface NothingListedProps {
  readonly scope: Scope;
  readonly pages: Pick<Pages<unknown>, 'hasMore' | 'loadMore' | 'isLoadingMore'>;
  readonly isFiltered: boolean;
}

/** Explains why the list is empty, and what to do. */
function NothingListed({ scope, pages, isFiltered }: NothingListedProps) {
  const { t } = useText();
  if (!isFiltered) {
    return (
      <EmptyState
        icon={<RequestsIcon size={24} />}
        title={t('requests.emptyTitle')}
        text={t('requests.emptyText')}
        action={<ViewButton to="/app/playground">{t('requests.emptyAction')}</ViewButton>}
        code={!scope.isOperator && <FirstCall />}
      />
    );
  }
  return (
    <EmptyState
      title={t('requests.nothingTitle')}
      text={t(pages.hasMore ? 'requests.nothingYet' : 'requests.nothingText')}
      action={
        pages.hasMore ? (
          <Button variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            {t('requests.lookFurther')}
          </Button>
        ) : (
          <ClearFilters names={filterNames.filter((name) => name !== 'order' && name !== 'live')} />
        )
      }
    />
  );
}

/** A command that sends a request of this account. */
function FirstCall() {
  const { data: models } = useModels();
  const { data: balance } = useRead<Balance>('/account/v1/balance');
  const first = models && exampleOf(models.data, balance);
  if (!first) return null;
  const [curl] = snippetsOf({ baseUrls: models.base_urls, model: first.id, surfaces: first.surfaces });
  return curl && <CodeBlock snippets={[curl]} />;
}

/** A notice above the requests of a key: their bodies are stored. */
function StoredKeyNotice({ scope, keyId }: { readonly scope: Scope; readonly keyId: string }) {
  const { t } = useText();
  const { data: terms } = useStoredBodies(scope.isOperator);
  const path = scope.isOperator ? '/admin/v1/keys' : '/account/v1/keys';
  const { data: key } = useRead<Key>(`${path}/${encodeURIComponent(keyId)}`, {}, { staleTime: 60_000 });
  if (!terms?.allowed || !key?.store_bodies) return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} mb="md" role="status">
      {t('bodies.keyNotice', { time: keptFor(terms, t) })}
    </Alert>
  );
}
