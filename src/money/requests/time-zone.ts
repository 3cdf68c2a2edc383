/** A zone's offset from UTC, valid from a time on. */
export interface ZoneOffset {
  readonly from: number;
  readonly offsetMs: number;
}

const weekMs = 604_800_000;
const minuteMs = 60_000;

/** All offsets of a zone within a span, in order. Assumes that no zone changes its offset twice within a week. */
export function zoneOffsets(
  zone: string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly ZoneOffset[] {
  const offsetAt = zoneClock(zone);
  const offsets: ZoneOffset[] = [{ from, offsetMs: offsetAt(from) }];
  for (let start = from; start < to; start += weekMs) {
    const end = Math.min(start + weekMs, to);
    const [before, after] = [offsets.at(-1)?.offsetMs ?? 0, offsetAt(end)];
    if (before !== after) offsets.push({ from: changeBetween(offsetAt, start, end), offsetMs: after });
  }
  return offsets;
}

/** The first minute of a new offset. */
function changeBetween(offsetAt: (at: number) => number, start: number, end: number): number {
  const before = offsetAt(start);
  let [low, high] = [start, end];
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
    if (middle === low) break;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns a function from a time to the zone's offset from UTC. Throws if the zone does not exist. */
function zoneClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return shown - Math.floor(at / 1000) * 1000;
  };
}
