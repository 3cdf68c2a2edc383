import { useEffect, useState } from 'react';
import type { Live } from '../../api/wire.ts';
import classes from './live.module.css';

export interface SparklineProps {
  /** Oldest first; the newest is at the right edge. */
  readonly values: readonly number[];
  /** The smallest value that the top may stand for. */
  readonly atLeast?: number;
  readonly isBad?: boolean;
}

/** The number of points of a sparkline. */
const momentsMax = 60;
const width = momentsMax - 1;
const height = 20;

/** The last two minutes as a curve without labels; the number is shown next to it. */
export function Sparkline({ values, atLeast = 1, isBad = false }: SparklineProps) {
  const top = Math.max(atLeast, ...values);
  const points = values.map((value, index) => {
    const x = width - (values.length - 1 - index);
    return `${x},${(height - 1 - (value / top) * (height - 2)).toFixed(2)}`;
  });
  const first = width - (values.length - 1);
  return (
    <svg
      className={`${classes['sparkline']} ${isBad ? classes['sparklineBad'] : ''}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {values.length > 1 && (
        <>
          <polygon points={`${first},${height} ${points.join(' ')} ${width},${height}`} />
          <polyline points={points.join(' ')} />
        </>
      )}
    </svg>
  );
}

/** One point of the sparklines, without the accounts. */
export interface Moment {
  readonly at: string;
  readonly running: number;
  readonly waiting: number;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly upstreams: ReadonlyMap<string, number>;
}

/** The samples since the page was opened, oldest first. */
export function useHistory(live: Live | undefined): readonly Moment[] {
  const [history, setHistory] = useState<readonly Moment[]>([]);
  useEffect(() => {
    if (live) setHistory((before) => withMoment(before, live));
  }, [live]);
  return history;
}

/** The history with one more sample. */
function withMoment(history: readonly Moment[], live: Live): readonly Moment[] {
  if (history.at(-1)?.at === live.at) return history;
  return [...history, momentOf(live)].slice(-momentsMax);
}

function momentOf({ at, totals, rates, upstreams }: Live): Moment {
  return {
    at,
    running: totals.running,
    waiting: totals.waiting,
    requests: rates.requests,
    errors: rates.errors,
    tokens: rates.completion_tokens,
    upstreams: new Map(upstreams.map(({ name, running, waiting }) => [name, running + waiting])),
  };
}
