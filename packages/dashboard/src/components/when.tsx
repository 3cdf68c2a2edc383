import { useEffect, useState } from 'react';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

export interface WhenProps {
  readonly at: string | null;
  /** "12s ago", and the date after a day (the default); date and time; or the date alone. */
  readonly as?: 'relative' | 'date-time' | 'date';
  /** The text for null. Default: "Never". */
  readonly otherwise?: string;
}

/** A time in the user's time zone. Hovering shows the exact time and the zone. Ages stay current by themselves. */
export function When({ at, as = 'relative', otherwise }: WhenProps) {
  const { t } = useText();
  const format = useFormat();
  useTick(as === 'relative' && at !== null ? tickOf(Date.now() - Date.parse(at)) : undefined);
  if (at === null) return <>{otherwise ?? t('common.never')}</>;
  const shown = as === 'relative' ? format.age(at) : as === 'date' ? format.date(at) : format.dateTime(at);
  return (
    <time dateTime={at} title={format.zonedTime(at)}>
      {shown}
    </time>
  );
}

const minuteMs = 60_000;

/** How often an age is rendered again, even if no data is read again. After a day only the date is shown. */
function tickOf(ageMs: number): number | undefined {
  if (ageMs < minuteMs) return 5000;
  return ageMs < 24 * 60 * minuteMs ? minuteMs / 2 : undefined;
}

/** Re-renders at an interval, so that texts such as "5 s ago" stay current. `undefined` turns it off. */
export function useTick(everyMs: number | undefined): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
