import type { OwnOverview } from '../api/wire.ts';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { StatCard } from './stat-card.tsx';

type CardTotals = Pick<
  OwnOverview['totals'],
  'prompt_tokens' | 'completion_tokens' | 'queue_ms_p50' | 'first_token_ms_p50'
>;

/** Token counts and median waiting times over a time range. */
export function UsageCards({ totals }: { readonly totals: CardTotals | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const duration = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return (
    <>
      <StatCard
        label={t('overview.tokens')}
        value={totals && format.compact(totals.prompt_tokens + totals.completion_tokens)}
        hint={
          totals &&
          t('overview.tokensHint', {
            prompt: format.compact(totals.prompt_tokens),
            completion: format.compact(totals.completion_tokens),
          })
        }
      />
      <StatCard
        label={t('overview.wait')}
        value={totals && duration(totals.queue_ms_p50)}
        hint={totals && t('overview.firstByteHint', { time: duration(totals.first_token_ms_p50) })}
      />
    </>
  );
}
