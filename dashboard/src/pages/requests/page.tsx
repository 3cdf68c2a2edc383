import { Alert, Button } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Pages, usePages, useRead } from '../../api/queries.ts';
import type { Key } from '../../api/wire.ts';
import { keptFor, useStoredBodies } from '../../components/body-terms.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { RequestsIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { IdSearch } from './id-search.tsx';
import { type ListedRequest, type RequestListPage, useRequestColumns } from './request-columns.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { filterNames, type RequestFilters, requestQuery } from './request-query.ts';
import { liveMs, RequestTools } from './request-tools.tsx';
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
  return (
    <>
      <PageHeader
        withAge={!isLive}
        title={t(scope.isOperator ? 'nav.allRequests' : 'nav.requests')}
        description={t(scope.isOperator ? 'requests.operatorDescription' : 'requests.description')}
        actions={<IdSearch scope={scope} />}
      />
      <RequestFilterBar scope={scope} />
      {filters.key !== undefined && <StoredKeyNotice scope={scope} keyId={filters.key} />}
      <RequestTools scope={scope} query={query} pages={pages} isFollowable={isFollowable} />
      <DataTable
        label={t('requests.label')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => requestPath(scope, id)}
        rowSearch={filters}
        isNew={({ id }) => newIds.has(id)}
        empty={<NothingListed scope={scope} pages={pages} isFiltered={Object.keys(narrowing).length > 0} />}
      />
    </>
  );
}

const none: ReadonlySet<string> = new Set();

/** The ids that were not in the list at the last read. Empty while live mode is off. */
function useNewIds(ids: readonly string[] | undefined, isLive: boolean): ReadonlySet<string> {
  const seen = useRef<ReadonlySet<string> | undefined>(undefined);
  const [newIds, setNewIds] = useState(none);
  const list = ids?.join(' ');
  useEffect(() => {
    const known = isLive ? seen.current : undefined;
    const now = list === undefined ? undefined : new Set(list.split(' '));
    seen.current = isLive ? now : undefined;
    setNewIds(known && now ? new Set([...now].filter((id) => !known.has(id))) : none);
  }, [list, isLive]);
  return newIds;
}

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
        action={!scope.isOperator && <ViewButton to="/app/playground">{t('requests.emptyAction')}</ViewButton>}
      />
    );
  }
  return (
    <EmptyState
      title={t('requests.nothingTitle')}
      text={t(pages.hasMore ? 'requests.nothingYet' : 'requests.nothingText')}
      action={
        pages.hasMore && (
          <Button variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            {t('requests.lookFurther')}
          </Button>
        )
      }
    />
  );
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
