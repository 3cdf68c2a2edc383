import type { Format } from '../text/format.ts';
import type { Translate } from '../text/text.tsx';

/** The conditions of a price tier. */
interface TierCondition {
  readonly prompt_over?: number | null;
  readonly service_tier?: string | null;
  readonly speed?: string | null;
  readonly region?: string | null;
  readonly days?: readonly string[] | null;
  readonly from?: string | null;
  readonly to?: string | null;
  readonly time_zone?: string | null;
}

/** The conditions of a price tier as a short text. */
export function tierCondition(when: TierCondition, { t, format }: { readonly t: Translate; readonly format: Format }) {
  const { prompt_over: tokens, service_tier: serviceTier, speed, region, days, from, to } = when;
  const length = typeof tokens !== 'number' ? [] : t('models.promptOver', { count: format.number(tokens) });
  const time = from || to ? `${from ?? '00:00'}–${to ?? '24:00'}` : [];
  const window =
    [days?.map((day) => format.weekday(day)).join(', ') ?? [], time, when.time_zone ?? []].flat().join(' ') || [];
  return [length, serviceTier ?? [], speed ?? [], region ?? [], window].flat().join(' · ');
}
