import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { caseName } from '../../components/case-name.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';
import classes from './request.module.css';
import { isOperatorDetail, type Story } from './story.ts';

/** Everything else that is known. */
export function Facts({ story }: { readonly story: Story }) {
  const { t } = useText();
  const facts: readonly (readonly [PlainKey, ReactNode])[] = [
    ['request.started', story.started_at && <When at={story.started_at} as="date-time" />],
    ['request.askedModel', story.asked_model],
    ['request.model', story.model],
    ['request.surface', story.surface && surfaceName(story.surface, t)],
    ['request.key', story.key_name ?? story.key_id],
    ['request.userId', story.user_id],
    [
      'request.account',
      isOperatorDetail(story) && story.account_id !== null && (
        <ViewAnchor to={`/app/operator/accounts/${encodeURIComponent(story.account_id)}`} inherit>
          {story.account_name ?? story.account_id}
        </ViewAnchor>
      ),
    ],
    ['request.site', story.site],
    ['request.finish', story.finish],
    ['request.errorCase', story.error_case && `${caseName(story.error_case, t)} (${story.error_case})`],
    ['request.answerAsked', wishOf(story, t)],
    ['request.queuePosition', story.queue_position],
    ['request.priceVersion', story.price_version],
    ...(isOperatorDetail(story) ? operatorFacts(story) : []),
  ];
  return (
    <Card component="section" aria-label={t('request.facts')}>
      <Title order={2} size="h3" mb="sm">
        {t('request.facts')}
      </Title>
      <dl className={classes['facts']}>
        {facts.map(([name, value]) =>
          value === null || value === undefined || value === false || value === '' ? null : (
            <div key={name}>
              <dt>{t(name)}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Card>
  );
}

function operatorFacts(story: Story): readonly (readonly [PlainKey, ReactNode])[] {
  if (!isOperatorDetail(story)) return [];
  return [
    ['request.upstream', story.upstream],
    ['request.upstreamModel', story.upstream_model],
    ['request.attempts', story.attempts],
    [
      'request.notes',
      story.notes.length === 0 ? null : (
        <ul className={classes['notes']}>
          {story.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ),
    ],
  ];
}

function wishOf({ asked_whole: isWhole }: Story, t: (key: PlainKey) => string): string | null {
  return isWhole === null ? null : t(isWhole ? 'request.askedWhole' : 'request.askedStream');
}

/** The record has the path that was asked, which is shown as it is where it has no name. */
function surfaceName(path: string, t: (key: PlainKey) => string): string {
  if (path.endsWith('/messages')) return t('request.surfaceMessages');
  if (path.endsWith('/responses')) return t('request.surfaceResponses');
  return path.endsWith('/chat/completions') ? t('request.surfaceChat') : path;
}
