import { Card, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { caseName } from '../../components/names.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import classes from './request.module.css';
import { type Detail, isOperatorDetail } from './detail.ts';

/** All other details. */
export function Facts({ detail }: { readonly detail: Detail }) {
  const { t } = useText();
  const facts: readonly (readonly [FixedTextKey, ReactNode])[] = [
    ['request.started', detail.started_at && <When at={detail.started_at} as="date-time" />],
    ['request.requestedModel', detail.requested_model],
    ['request.model', detail.model],
    ['request.surface', detail.surface && surfaceName(detail.surface, t)],
    ['request.key', detail.key_name ?? detail.key_id],
    ['request.userId', detail.user_id],
    ['request.tags', detail.tags.length > 0 && <Tags detail={detail} />],
    [
      'request.account',
      isOperatorDetail(detail) && detail.account_id !== null && (
        <ViewAnchor to={`/app/operator/accounts/${encodeURIComponent(detail.account_id)}`} inherit>
          {detail.account_name ?? detail.account_id}
        </ViewAnchor>
      ),
    ],
    ['request.site', detail.site],
    ['request.finish', detail.finish],
    ['request.errorCase', detail.error_case && `${caseName(detail.error_case, t)} (${detail.error_case})`],
    ['request.requestedMode', requestedDelivery(detail, t)],
    ['request.queuePosition', detail.queue_position],
    ['request.priceVersion', detail.price_version],
    ...(isOperatorDetail(detail) ? operatorFacts(detail) : []),
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

/** Each tag links to the requests that have it. */
function Tags({ detail }: { readonly detail: Detail }) {
  const account = isOperatorDetail(detail) && detail.account_id !== null ? { account: detail.account_id } : {};
  return detail.tags.map((tag, index) => (
    <span key={tag}>
      {index > 0 && ', '}
      <ViewAnchor
        to={isOperatorDetail(detail) ? '/app/operator/requests' : '/app/requests'}
        search={{ tag, ...account }}
        inherit
      >
        {tag}
      </ViewAnchor>
    </span>
  ));
}

function operatorFacts(detail: Detail): readonly (readonly [FixedTextKey, ReactNode])[] {
  if (!isOperatorDetail(detail)) return [];
  return [
    ['request.upstream', detail.upstream],
    ['request.upstreamModel', detail.upstream_model],
    ['request.attempts', detail.attempt_count],
    [
      'request.notes',
      detail.notes.length === 0 ? null : (
        <ul className={classes['notes']}>
          {detail.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ),
    ],
  ];
}

function requestedDelivery({ requested_whole: wantsJson }: Detail, t: (key: FixedTextKey) => string): string | null {
  return wantsJson === null ? null : t(wantsJson ? 'request.modeNonStreaming' : 'request.modeStreaming');
}

/** The record has the request path, which is shown unchanged if it has no name. */
function surfaceName(path: string, t: (key: FixedTextKey) => string): string {
  if (path.endsWith('/messages')) return t('request.surfaceMessages');
  if (path.endsWith('/responses')) return t('request.surfaceResponses');
  return path.endsWith('/chat/completions') ? t('request.surfaceChat') : path;
}
