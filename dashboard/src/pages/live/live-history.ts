import { useEffect, useState } from 'react';
import type { Live } from '../../api/wire.ts';

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

/** The number of points of a sparkline. */
export const momentsMax = 60;

/** The samples since the page was opened, oldest first. */
export function useHistory(live: Live | undefined): readonly Moment[] {
  const [history, setHistory] = useState<readonly Moment[]>([]);
  useEffect(() => {
    if (live) setHistory((before) => withMoment(before, live));
  }, [live]);
  return history;
}

/** The history with one more sample. */
export function withMoment(history: readonly Moment[], live: Live): readonly Moment[] {
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
