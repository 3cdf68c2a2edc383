import type { NewOwnKey } from '../../api/wire.ts';
import { momentOf } from '../../text/wall-clock.ts';

/** When a new key ends: never, after so many days, or on a day that is named. */
export const endings = ['never', '7', '30', '90', '365', 'on'] as const;

export type Ending = (typeof endings)[number];

/** What the form holds. */
export interface KeyWish {
  readonly name: string;
  readonly models: readonly string[];
  readonly ending: Ending;
  /** A day as `2026-01-31`, where the ending is `on`. */
  readonly endsOn: string;
  readonly cap: string;
  readonly isWhole: boolean;
}

/** The wish as the gateway takes it; what was left empty is no limit. */
export function newKeyOf(
  { name, models, ending, endsOn, cap, isWhole }: KeyWish,
  now: Date,
  timeZone: string,
): NewOwnKey {
  const expiresAt = ending === 'on' ? momentOf(`${endsOn}T23:59`, timeZone) : endOf(ending, now);
  return {
    name: name.trim(),
    ...(models.length > 0 && { models }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(cap.trim() !== '' && { spend_cap: cap.trim() }),
    ...(isWhole && { honour_stream_false: true }),
  };
}

/** At most nine digits before the point and nine after it, and not nothing. */
export function isAmount(text: string): boolean {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text.trim()) && Number(text) > 0;
}

function endOf(ending: Exclude<Ending, 'on'>, now: Date): Date | undefined {
  return ending === 'never' ? undefined : new Date(now.getTime() + Number(ending) * 86_400_000);
}
