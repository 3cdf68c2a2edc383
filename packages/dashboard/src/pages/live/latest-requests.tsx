import { Group, Text, Title } from '@mantine/core';
import { asPages, useRead } from '../../api/queries.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useNewIds } from '../requests/new-ids.ts';
import { type RequestListPage, useRequestColumns } from '../requests/request-columns.tsx';
import { allRequests, requestPath } from '../requests/scope.ts';
import { texts } from './texts.ts';

const shownMax = 8;
const shownColumns = new Set(['time', 'model', 'account', 'upstream', 'status', 'tokens', 'wait', 'duration']);

/** The newest requests of all accounts, as they end. */
export function LatestRequests({ everyMs }: { readonly everyMs: number | false }) {
  const t = usePageText(texts);
  const { data, error, refetch } = useRead<RequestListPage>(
    allRequests.api,
    { limit: shownMax },
    { refetchInterval: everyMs, staleTime: 0 },
  );
  const newIds = useNewIds(
    data?.data.map(({ id }) => id),
    everyMs !== false,
  );
  const columns = useRequestColumns({ scope: allRequests, order: undefined, choose: () => {} });
  return (
    <section aria-labelledby="live-latest">
      <Group justify="space-between" align="baseline" mb="md">
        <div>
          <Title order={2} id="live-latest">
            {t('latest')}
          </Title>
          <Text c="dimmed" fz="sm">
            {t('latestText')}
          </Text>
        </div>
        <ViewAnchor to={allRequests.app} search={{ live: 'on' }} fz="sm">
          {t('allRequests')}
        </ViewAnchor>
      </Group>
      <DataTable
        label={t('latest')}
        columns={columns.filter(({ key }) => shownColumns.has(key)).map((column) => ({ ...column, order: undefined }))}
        pages={asPages({ data: data?.data, error, refetch })}
        rowKey={({ id }) => id}
        rowLink={({ id }) => requestPath(allRequests, id)}
        isNew={({ id }) => newIds.has(id)}
        empty={<EmptyState title={t('latestEmpty')} text={t('latestText')} />}
      />
    </section>
  );
}
