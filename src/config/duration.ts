import { z } from 'zod';

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A length of time as people write it (`500ms`, `5s`, `30m`, `12h`, `30d`), read as milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a duration such as 500ms, 5s, 30m, 12h or 30d')
  .transform(durationMs);

export function durationMs(text: string): number {
  const unit = text.replace(/^\d+/, '') as keyof typeof unitMs;
  return Number.parseInt(text, 10) * unitMs[unit];
}
