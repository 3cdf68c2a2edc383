import { Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type StatusTone, StatusLabel } from '../requests/status-badge.tsx';
import { tokenFlow } from '../requests/token-flow.ts';
import { type RequestOutcome, outcomeOf, type Detail } from './detail.ts';

const tones: Readonly<Record<RequestOutcome, StatusTone>> = {
  succeeded: 'good',
  interrupted: 'bad',
  failed: 'bad',
  rejected: 'refused',
  running: 'neutral',
  clientDisconnected: 'neutral',
  unrecorded: 'neutral',
};

/** The most important numbers. */
export function Figures({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const format = useFormat();
  const span = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  const outcome = outcomeOf(detail);
  return (
    <StatRow>
      <StatCard
        label={t('requests.status')}
        value={<StatusLabel tone={tones[outcome]}>{t(`request.${outcome}`)}</StatusLabel>}
        hint={[detail.status, detail.finish].filter((each) => each !== null).join(' · ')}
      />
      <StatCard label={t('request.cost')} value={<Money amount={detail.cost} />} />
      <StatCard
        label={t('request.tokens')}
        value={tokenFlow(detail.prompt_tokens, detail.completion_tokens, format.number)}
        hint={detail.model ?? detail.requested_model}
      />
      <StatCard
        label={t('request.wait')}
        value={span(detail.wait_ms)}
        hint={Boolean(detail.queue_position) && t('request.aheadInQueue', { count: detail.queue_position ?? 0 })}
      />
      <StatCard
        label={t('request.duration')}
        value={span(detail.duration_ms)}
        hint={detail.first_byte_ms !== null && t('request.firstByteAt', { when: span(detail.first_byte_ms) })}
      />
    </StatRow>
  );
}
