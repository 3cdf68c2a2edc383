import { z } from 'zod';
import { breaks } from '../../file/wording.ts';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Beyond this, Node's timers fire at once. */
const timerLimit = '24d';

/** A duration such as `500ms`, `5s`, `30m`, `12h` or `3d`, parsed into milliseconds that a timer supports. */
export const duration = durationWithin('1ms', timerLimit);

/** A duration between two others, both included. */
export function durationWithin(least: string, most: string) {
  return z
    .string()
    .regex(/^\d{1,15}(ms|s|m|h|d)$/, {
      ...breaks('not_a_duration', { examples: '500ms, 5s, 30m, 12h or 30d' }),
      abort: true,
    })
    .refine(
      (text) => durationMs(text) >= durationMs(least) && durationMs(text) <= durationMs(most),
      breaks('out_of_range', { min: least, max: most }),
    )
    .transform(durationMs)
    .meta({ title: 'a duration', sample: '500ms, 5s, 30m' });
}

export function durationMs(text: string): number {
  const unit = text.replace(/^\d+/, '') as keyof typeof unitMs;
  return Number.parseInt(text, 10) * unitMs[unit];
}
