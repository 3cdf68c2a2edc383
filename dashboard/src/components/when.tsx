import { useEffect, useState } from 'react';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

export interface WhenProps {
  readonly at: string | null;
  /** "3 minutes ago" (the default), date and time, or the date alone. */
  readonly as?: 'relative' | 'date-time' | 'date';
  /** The text for null. Default: "Never". */
  readonly otherwise?: string;
}

/** A time in the user's time zone. Hovering shows the exact time. */
export function When({ at, as = 'relative', otherwise }: WhenProps) {
  const { t } = useText();
  const format = useFormat();
  useTick(as === 'relative' && at !== null ? tickMs : undefined);
  if (at === null) return <>{otherwise ?? t('common.never')}</>;
  const exact = format.dateTime(at);
  const shown = as === 'relative' ? format.relative(at) : as === 'date' ? format.date(at) : exact;
  return (
    <time dateTime={at} title={exact}>
      {shown}
    </time>
  );
}

/** Ages are re-rendered this often, even if no data is read again. */
const tickMs = 10_000;

/** Re-renders at an interval, so that texts such as "5 s ago" stay current. `undefined` turns it off. */
export function useTick(everyMs: number | undefined): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
