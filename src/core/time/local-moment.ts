import { type Weekday, weekdays } from 'chat-formats/price.ts';

/** A minute of a week in some time zone. */
export interface LocalMoment {
  readonly day: Weekday;
  /** Such as `08:30`. */
  readonly time: string;
}

const minuteMs = 60_000;

interface ZoneClock {
  readonly format: Intl.DateTimeFormat;
  readonly minute: number;
  readonly moment: LocalMoment;
}

/** Returns a function that reads the local clock of a time zone: once a minute for each of the zones that prices name. */
export function localMoments(): (timeZone: string, at: number) => LocalMoment {
  const clocks = new Map<string, ZoneClock>();
  return (timeZone, at) => {
    const last = clocks.get(timeZone);
    const minute = Math.floor(at / minuteMs);
    if (last?.minute === minute) return last.moment;
    const format = last?.format ?? new Intl.DateTimeFormat('en-US-u-ca-gregory', { timeZone, ...shown });
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const day = weekdays.find((name) => name === parts['weekday']?.toLowerCase()) ?? 'mon';
    const moment = { day, time: `${parts['hour']}:${parts['minute']}` };
    clocks.set(timeZone, { format, minute, moment });
    return moment;
  };
}

const shown = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

/** The day that is so many days later, or earlier. */
export function dayAfter(day: Weekday, days = 1): Weekday {
  return weekdays[(weekdays.indexOf(day) + days + weekdays.length) % weekdays.length] ?? day;
}
