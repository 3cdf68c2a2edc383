import type { Format } from '../text/format.ts';
import type { Translate } from '../text/text.tsx';

/** The conditions of a price tier. */
interface TierCondition {
  readonly prompt_over?: number | null;
  readonly service_tier?: string | null;
  readonly speed?: string | null;
  readonly region?: string | null;
}

/** The conditions of a price tier as a short text. */
export function tierCondition(when: TierCondition, { t, format }: { readonly t: Translate; readonly format: Format }) {
  const { prompt_over: tokens, service_tier: serviceTier, speed, region } = when;
  const length = typeof tokens !== 'number' ? [] : t('models.promptOver', { count: format.number(tokens) });
  return [length, serviceTier ?? [], speed ?? [], region ?? []].flat().join(' · ');
}
