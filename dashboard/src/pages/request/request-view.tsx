import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { IdSearch } from '../requests/id-search.tsx';
import { filterNames } from '../requests/request-query.ts';
import { allRequests, requestPath, type Scope } from '../requests/scope.ts';
import { Attempts } from './attempts.tsx';
import { Bodies } from './bodies.tsx';
import { Cost } from './cost.tsx';
import { Facts } from './facts.tsx';
import { Figures } from './figures.tsx';
import { isFresh } from './fresh.ts';
import { Ledger } from './ledger.tsx';
import { OutcomeNotice } from './outcome-notice.tsx';
import classes from './request.module.css';
import { outcomeOf, type Story } from './story.ts';
import { TimelineCard } from './timeline-card.tsx';

/** Explains one request, by its id or that of its answer. */
export function RequestView({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const { operator } = useSession();
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const [filters] = useFilters(filterNames);
  const story = useRead<Story>(
    requestPath({ ...scope, app: scope.api }, id),
    {},
    { refetchInterval: ({ state }) => (isUnfinished(id, state.data) ? 1000 : false) },
  );
  return (
    <>
      <ViewAnchor to={scope.app} search={filters} fz="sm" c="dimmed" className={classes['back']}>
        ← {t('request.back')}
      </ViewAnchor>
      <PageHeader
        withAge
        title={t('nav.request')}
        description={
          <Group gap={4} wrap="nowrap">
            <Text ff="monospace" className={classes['id']}>
              {story.data?.id ?? id}
            </Text>
            <CopyButton text={story.data?.id ?? id} label={t('request.copyId')} />
          </Group>
        }
        actions={
          <>
            {operator && !scope.isOperator && (
              <Button variant="default" component={Link} to={requestPath(allRequests, id)}>
                {t('request.asOperator')}
              </Button>
            )}
            <IdSearch scope={scope} />
          </>
        }
      />
      {story.data ? (
        <Whole story={story.data} scope={scope} />
      ) : story.error?.status === 404 ? (
        <EmptyState
          icon={<SearchIcon size={24} />}
          title={t('request.notFoundTitle')}
          text={t('request.notFoundText')}
          action={
            <Button variant="default" onClick={() => void story.refetch()} loading={story.isFetching}>
              {t('common.retry')}
            </Button>
          }
        />
      ) : story.error ? (
        <ErrorNotice error={story.error} onRetry={() => void story.refetch()} />
      ) : (
        <Outline />
      )}
    </>
  );
}

/** Whether there will soon be more to tell: it still runs, or has just ended and its record is being written. */
function isUnfinished(id: string, story: Story | undefined): boolean {
  return story?.state === 'open' || (story?.state !== 'recorded' && isFresh(id, Date.now()));
}

function Whole({ story, scope }: { readonly story: Story; readonly scope: Scope }) {
  return (
    <Stack gap="lg">
      <OutcomeNotice story={story} scope={scope} />
      <Figures story={story} />
      <TimelineCard story={story} />
      <Attempts trail={story.trail} isBroken={outcomeOf(story) === 'brokeOff'} />
      <div className={classes['pair']}>
        <Cost story={story} />
        <Ledger lines={story.ledger} />
      </div>
      {story.bodies && <Bodies story={story} bodies={story.bodies} scope={scope} />}
      <Facts story={story} />
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
