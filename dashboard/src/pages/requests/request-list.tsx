import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { usePages } from '../../api/queries.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { RequestsIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { IdSearch } from './id-search.tsx';
import { useKeyNames } from './key-names.ts';
import { type ListedRequest, useRequestColumns } from './request-columns.tsx';
import { RequestFilterBar } from './request-filter-bar.tsx';
import { filterNames, type RequestFilters, requestQuery } from './request-query.ts';
import { requestPath, type Scope } from './scope.ts';

/** Requests, newest first, filtered by what the address says. */
export function RequestList({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const [filters] = useFilters(filterNames);
  // A range that ends now would ask for something else at every drawing, so now is when the filters were chosen.
  const chosen = JSON.stringify(filters);
  const query = useMemo(() => requestQuery(JSON.parse(chosen) as RequestFilters, Date.now()), [chosen]);
  const pages = usePages<ListedRequest>(scope.api, query);
  const keyNames = useKeyNames(scope);
  const columns = useRequestColumns(scope, keyNames);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.requests')}
        description={t(scope.isOperator ? 'requests.operatorDescription' : 'requests.description')}
        actions={<IdSearch scope={scope} />}
      />
      <RequestFilterBar scope={scope} keyNames={keyNames} />
      <DataTable
        label={t('requests.label')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => requestPath(scope, id)}
        rowSearch={filters}
        empty={
          isFiltered ? (
            <EmptyState title={t('requests.nothingTitle')} text={t('requests.nothingText')} />
          ) : (
            <EmptyState
              icon={<RequestsIcon size={24} />}
              title={t('requests.emptyTitle')}
              text={t('requests.emptyText')}
              action={
                !scope.isOperator && (
                  <Button component={Link} to="/app/playground">
                    {t('requests.emptyAction')}
                  </Button>
                )
              }
            />
          )
        }
      />
    </>
  );
}
