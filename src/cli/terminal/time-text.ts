const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });

/** A time for people: local time, and relative to now. */
export function momentText(at: number, now: number): string {
  return `${localText(at)} (${relativeText(at, now)})`;
}

/** `3 minutes ago`, `in 30 days`; less than a second is `just now`. */
export function relativeText(at: number, now: number): string {
  const differenceMs = at - now;
  const unit = units.find(([, unitMs]) => Math.abs(differenceMs) >= unitMs);
  return unit ? relative.format(Math.round(differenceMs / unit[1]), unit[0]) : 'just now';
}

/** `2026-11-15 02:34:10` in the time zone of this machine, which is the format of the Swedish locale. */
export function localText(at: number): string {
  return new Date(at).toLocaleString('sv-SE');
}

/** `850 ms`, `12.4 s`, `3 min 20 s`. */
export function lengthText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
