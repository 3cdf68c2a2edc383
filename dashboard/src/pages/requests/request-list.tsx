import { useCallback, useMemo } from 'react';
import { usePages } from '../../api/queries.ts';
import { DataTable } from '../../components/data-table.tsx';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { useNewIds } from './arrivals.ts';
import { IdSearch } from './id-search.tsx';
import { liveMs } from './live-tail.tsx';
import { NothingListed } from './nothing-listed.tsx';
import { type ListedRequest, type RequestListPage, useRequestColumns } from './request-columns.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { filterNames, type RequestFilters, requestQuery } from './request-query.ts';
import { RequestTools } from './request-tools.tsx';
import { requestPath, type Scope } from './scope.ts';
import { StoredKeyNotice } from './stored-key-notice.tsx';

/** Requests, filtered and ordered by the URL. In live mode, new ones appear automatically. */
export function RequestList({ scope }: { readonly scope: Scope }) {
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
        title={t('nav.requests')}
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
