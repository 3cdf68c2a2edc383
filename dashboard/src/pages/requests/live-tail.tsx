import { Switch, Text } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import type { ReadPages } from '../../api/queries.ts';
import { useTick } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import classes from './requests.module.css';

/** How often the list is read in live mode. */
export const liveMs = 2000;
/** Live mode ends after this time, so that a forgotten page stops polling. */
const liveMaxMs = 30 * 60_000;

export interface LiveTailProps {
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
export function LiveTail({ isOn, isPossible, pages, change }: LiveTailProps) {
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
      <span className={classes['beat']} data-still={isPaused || error !== null || undefined} />
      {isPaused ? t('requests.livePaused') : time && t(error ? 'common.notUpdated' : 'common.updated', { time })}
    </Text>
  );
}
