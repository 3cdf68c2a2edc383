import { Select, Switch, Text } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import type { Query } from '../../api/call.ts';
import type { ReadPages } from '../../api/queries.ts';
import { Beat } from '../../components/cells.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { useFilters } from '../../components/filters.ts';
import { useTick } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import type { ListedRequest, RequestListPage } from './request-columns.tsx';
import { filterNames, orders } from './request-query.ts';
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

/** How often the list is read in live mode. */
export const liveMs = 2000;
/** Live mode ends after this time, so that a forgotten page stops polling. */
const liveMaxMs = 30 * 60_000;

interface LiveTailProps {
  readonly isOn: boolean;
  /** False if the list is not ordered by time, or ends in the past. */
  readonly isPossible: boolean;
  readonly pages: Pick<ReadPages<unknown>, 'updatedAt' | 'error' | 'count'>;
  readonly change: (isOn: boolean) => void;
}

/**
 * Switches live mode, in which the list shows requests as they end. Polling pauses while the page is hidden. Shows the
 * age of the list.
 */
function LiveTail({ isOn, isPossible, pages, change }: LiveTailProps) {
  const { t } = useText();
  const isLive = isOn && isPossible;
  const end = useEffectEvent(() => change(false));
  useEffect(() => {
    const timer = isLive ? setTimeout(end, liveMaxMs) : undefined;
    return () => clearTimeout(timer);
  }, [isLive]);
  return (
    <div className={classes['live']}>
      <Switch
        checked={isLive}
        disabled={!isPossible}
        label={t('requests.live')}
        title={isPossible ? t('requests.liveHint') : t('requests.liveImpossible')}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      {isLive && <Age pages={pages} />}
    </div>
  );
}

function Age({ pages: { updatedAt, error, count } }: Pick<LiveTailProps, 'pages'>) {
  const { t } = useText();
  const format = useFormat();
  useTick(1000);
  const isPaused = count > 1;
  const time = updatedAt === undefined ? undefined : format.relative(Math.min(updatedAt, Date.now()));
  return (
    <Text fz="xs" c={error ? 'red' : 'dimmed'} className={classes['age']} role={error ? 'status' : undefined}>
      <Beat isStill={isPaused || error !== null} />
      {isPaused ? t('requests.livePaused') : time && t(error ? 'common.notUpdated' : 'common.updated', { time })}
    </Text>
  );
}
