import { Select, Switch, Text } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import type { ReadPages } from '../../api/queries.ts';
import { Beat } from '../../components/cells.tsx';
import { useFilters } from '../../components/filters.ts';
import { useTick } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import type { RequestListPage } from './request-columns.tsx';
import { filterNames, orders } from './request-query.ts';
import classes from './requests.module.css';

/** The order of the list, for a phone, where the table has no headers. */
export function OrderChoice() {
  const { t } = useText();
  const [{ order }, change] = useFilters(filterNames);
  return (
    <Select
      aria-label={t('requests.order')}
      data={orders.map(([value, label]) => ({ value, label: t(label) }))}
      value={order ?? 'newest'}
      allowDeselect={false}
      onChange={(value) => change({ order: value === 'newest' ? undefined : (value ?? undefined) })}
    />
  );
}

/** Shows the limit of the search: ordering by a value covers a bounded number of requests. */
export function SearchDepth({
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
  if (!last || (!isRanked && !searchedTo)) return null;
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
  /** False if the list is not ordered by time, or ends in the past. */
  readonly isPossible: boolean;
  readonly pages: Pick<ReadPages<unknown>, 'updatedAt' | 'error' | 'count'>;
}

/**
 * Switches live mode, in which the list shows requests as they end. Polling pauses while the page is hidden. Shows the
 * age of the list.
 */
export function LiveTail({ isPossible, pages }: LiveTailProps) {
  const { t } = useText();
  const [{ live }, change] = useFilters(filterNames);
  const isLive = live !== undefined && isPossible;
  const end = useEffectEvent(() => change({ live: undefined }));
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
        onChange={({ currentTarget }) => change({ live: currentTarget.checked ? 'on' : undefined })}
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
