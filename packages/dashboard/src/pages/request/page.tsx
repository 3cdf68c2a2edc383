import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { CopyButton } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink, ViewButton } from '../../components/view-links.tsx';
import { SearchIcon } from '../../icons.tsx';
import { tokenFlow, useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { IdSearch } from '../requests/id-search.tsx';
import { filterNames } from '../requests/request-query.ts';
import { allRequests, ownRequests, requestPath, type Scope } from '../requests/scope.ts';
import { StatusLabel, type StatusTone } from '../../components/status.tsx';
import { Attempts } from './attempts.tsx';
import { Bodies } from './bodies.tsx';
import { Cost, Ledger } from './cost.tsx';
import { Facts } from './facts.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';
import classes from './request.module.css';
import { type Detail, isFresh, outcomeOf, type RequestOutcome } from './detail.ts';
import { TimelineCard } from './timeline-card.tsx';

export default function RequestPage() {
  return <RequestView scope={ownRequests} />;
}

export function OperatorPage() {
  return <RequestView scope={allRequests} />;
}

/** One request, found by its id or by the id of its response. */
function RequestView({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const { operator } = useSession();
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const [filters] = useFilters(filterNames);
  const detail = useRead<Detail>(
    requestPath({ ...scope, app: scope.api }, id),
    {},
    { refetchInterval: ({ state }) => (isUnfinished(id, state.data) ? 1000 : false) },
  );
  return (
    <>
      <BackLink to={scope.app} search={filters} c="dimmed">
        {t('request.back')}
      </BackLink>
      <PageHeader
        withAge
        title={t(scope.isOperator ? 'nav.anyRequest' : 'nav.request')}
        description={
          <Group gap={4} wrap="nowrap">
            <Text ff="monospace" className={classes['id']}>
              {detail.data?.id ?? id}
            </Text>
            <CopyButton text={detail.data?.id ?? id} label={t('request.copyId')} />
          </Group>
        }
        actions={
          <>
            {operator && !scope.isOperator && (
              <ViewButton variant="default" to={requestPath(allRequests, id)}>
                {t('request.asOperator')}
              </ViewButton>
            )}
            <IdSearch scope={scope} />
          </>
        }
      />
      {detail.data ? (
        <RequestDetails detail={detail.data} scope={scope} />
      ) : detail.error?.status === 404 ? (
        <EmptyState
          icon={<SearchIcon size={24} />}
          title={t('request.notFoundTitle')}
          text={t('request.notFoundText')}
          action={
            <Button variant="default" onClick={() => void detail.refetch()} loading={detail.isFetching}>
              {t('common.retry')}
            </Button>
          }
        />
      ) : detail.error ? (
        <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />
      ) : (
        <Outline />
      )}
    </>
  );
}

/** Whether more data follows soon: the request still runs, or its record is not written yet. */
function isUnfinished(id: string, detail: Detail | undefined): boolean {
  return detail?.state === 'open' || (detail?.state !== 'recorded' && isFresh(id, Date.now()));
}

function RequestDetails({ detail, scope }: { readonly detail: Detail; readonly scope: Scope }) {
  return (
    <Stack gap="lg">
      <OutcomeNotice detail={detail} scope={scope} />
      <Figures detail={detail} />
      <TimelineCard detail={detail} />
      <Attempts attempts={detail.attempts} isBroken={outcomeOf(detail) === 'interrupted'} />
      <div className={classes['pair']}>
        <Cost detail={detail} />
        <Ledger lines={detail.ledger} />
      </div>
      {detail.bodies && <Bodies detail={detail} bodies={detail.bodies} scope={scope} />}
      <Facts detail={detail} />
    </Stack>
  );
}

function Outline() {
  const { t } = useText();
  return (
    <Stack gap="lg" aria-busy aria-label={t('common.loading')}>
      <Skeleton height={88} radius="lg" />
      <Skeleton height={200} radius="lg" />
      <Skeleton height={160} radius="lg" />
    </Stack>
  );
}

const tones: Readonly<Record<RequestOutcome, StatusTone>> = {
  succeeded: 'good',
  interrupted: 'bad',
  failed: 'bad',
  rejected: 'warning',
  running: 'neutral',
  clientDisconnected: 'neutral',
  unrecorded: 'neutral',
};

/** The most important numbers. */
function Figures({ detail }: { readonly detail: Detail }) {
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
