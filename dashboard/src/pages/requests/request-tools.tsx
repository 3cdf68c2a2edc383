import { Select, Text } from '@mantine/core';
import type { Query } from '../../api/call.ts';
import type { ReadPages } from '../../api/queries.ts';
import { ExportButton } from '../../components/export-button.tsx';
import { useFilters } from '../../components/filter-bar.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { LiveTail } from './live-tail.tsx';
import { orders } from './order.ts';
import type { ListedRequest, RequestListPage } from './request-columns.tsx';
import { filterNames } from './request-query.ts';
import classes from './requests.module.css';
import type { Scope } from './scope.ts';

export interface RequestToolsProps {
  readonly scope: Scope;
  /** The filters of the list. */
  readonly query: Query;
  readonly pages: ReadPages<ListedRequest, RequestListPage>;
  readonly isFollowable: boolean;
}

/** Actions on the whole list, and how far back it was searched. */
export function RequestTools({ scope, query, pages, isFollowable }: RequestToolsProps) {
  const { t } = useText();
  const [{ order, live }, change] = useFilters(filterNames);
  return (
    <div className={classes['tools']}>
      <SearchDepth order={order} last={pages.last} />
      <LiveTail
        isOn={live !== undefined}
        isPossible={isFollowable}
        pages={pages}
        change={(isOn) => change({ live: isOn ? 'on' : undefined })}
      />
      <Select
        hiddenFrom="sm"
        aria-label={t('requests.order')}
        data={orders.map(([value, label]) => ({ value, label: t(label) }))}
        value={order ?? 'newest'}
        allowDeselect={false}
        onChange={(value) => change({ order: value === 'newest' ? undefined : (value ?? undefined) })}
        w={176}
      />
      <ExportButton path={`${scope.api}.csv`} query={query} name="requests" />
    </div>
  );
}

/** Shows the limit of the search: ordering by a value covers a bounded number of requests. */
function SearchDepth({
  order,
  last,
}: {
  readonly order: string | undefined;
  readonly last: RequestListPage | undefined;
}) {
  const { t } = useText();
  const format = useFormat();
  const searchedTo = last?.searched_to;
  const isRanked = order !== undefined && order !== 'newest' && order !== 'oldest';
  if (!last || (!isRanked && !searchedTo)) return <div className={classes['note']} />;
  const time = searchedTo ? format.dateTime(Date.parse(searchedTo)) : '';
  const words = searchedTo ? (isRanked ? 'requests.rankedWithin' : 'requests.searchedTo') : 'requests.rankedAll';
  return (
    <Text fz="sm" c="dimmed" className={classes['note']} role="status">
      {t(words, { time })}
    </Text>
  );
}
