import { Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { type Mood, StatusWord } from '../requests/status-badge.tsx';
import { tokenFlow } from '../requests/token-flow.ts';
import { type RequestOutcome, outcomeOf, type Story } from './story.ts';

const moods: Readonly<Record<RequestOutcome, Mood>> = {
  answered: 'good',
  brokeOff: 'bad',
  failed: 'bad',
  refused: 'refused',
  running: 'neutral',
  clientGone: 'neutral',
  unrecorded: 'neutral',
};

/** The numbers one asks for first. */
export function Figures({ story }: { readonly story: Story }) {
  const { t } = useText();
  const format = useFormat();
  const span = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  const outcome = outcomeOf(story);
  return (
    <StatRow>
      <StatCard
        label={t('requests.status')}
        value={<StatusWord mood={moods[outcome]}>{t(`request.${outcome}`)}</StatusWord>}
        hint={[story.status, story.finish].filter((each) => each !== null).join(' · ')}
      />
      <StatCard label={t('request.cost')} value={<Money amount={story.cost} />} />
      <StatCard
        label={t('request.tokens')}
        value={tokenFlow(story.prompt_tokens, story.completion_tokens, format.number)}
        hint={story.model ?? story.asked_model}
      />
      <StatCard
        label={t('request.wait')}
        value={span(story.wait_ms)}
        hint={Boolean(story.queue_position) && t('request.behind', { count: story.queue_position ?? 0 })}
      />
      <StatCard
        label={t('request.duration')}
        value={span(story.duration_ms)}
        hint={story.first_byte_ms !== null && t('request.firstByteAt', { when: span(story.first_byte_ms) })}
      />
    </StatRow>
  );
}
