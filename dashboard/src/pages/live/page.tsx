import { Button, Skeleton, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { Account, Live } from '../../api/wire.ts';
import { type Page, useAllRows, useRead } from '../../api/queries.ts';
import { Beat } from '../../components/cells.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FirstSteps } from '../../components/first-steps.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { UpstreamsIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { Figures } from './figures.tsx';
import classes from './live.module.css';
import { type Moment, useHistory } from './sparkline.tsx';
import { AccountLoads, UpstreamQueue } from './upstream-queue.tsx';

const intervalMs = 2000;

/** The running and waiting requests now. Polls while the page is visible, unless the user pauses it. */
export default function LivePage() {
  const { t } = useText();
  const [isPaused, setPaused] = useState(false);
  const { data, error, refetch } = useRead<Live>(
    '/admin/v1/live',
    {},
    { refetchInterval: isPaused ? false : intervalMs, staleTime: 0 },
  );
  const history = useHistory(data);
  const isStill = isPaused || error !== null;
  return (
    <>
      <PageHeader
        title={t('nav.live')}
        description={t('live.description')}
        actions={
          <>
            <span className={classes['pulse']} role="status">
              <Beat isStill={isStill} />
              {t(isPaused ? 'live.paused' : error ? 'live.stopped' : 'live.updating')}
            </span>
            <Button variant="default" size="xs" onClick={() => setPaused(!isPaused)}>
              {isPaused ? t('live.resume') : t('live.pause')}
            </Button>
          </>
        }
      />
      <Stack gap="xl">
        <OperatorSteps />
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        {(data || !error) && <Figures live={data} history={history} />}
        {data ? <Queues live={data} history={history} /> : !error && <Skeleton height={240} radius="lg" />}
      </Stack>
    </>
  );
}

function Queues({ live, history }: { readonly live: Live; readonly history: readonly Moment[] }) {
  const { t } = useText();
  const { upstreams, accounts } = live;
  if (upstreams.length === 0) {
    return (
      <EmptyState
        icon={<UpstreamsIcon />}
        title={t('live.noUpstreamsTitle')}
        text={t('live.noUpstreamsText')}
        action={<ViewButton to="/app/operator/upstreams">{t('live.toUpstreams')}</ViewButton>}
      />
    );
  }
  return (
    <>
      <section aria-labelledby="live-accounts">
        <Title order={2} id="live-accounts" mb="xs">
          {t('live.byAccount')}
        </Title>
        {accounts.length === 0 ? (
          <div className={classes['calm']}>{t('live.idle')}</div>
        ) : (
          <AccountLoads label={t('live.byAccount')} accounts={accounts} most={12} />
        )}
      </section>
      <section aria-labelledby="live-upstreams">
        <Title order={2} id="live-upstreams" mb="md">
          {t('live.byUpstream')}
        </Title>
        <ul className={classes['list']}>
          {busiestFirst(upstreams).map((queue) => (
            <UpstreamQueue
              key={queue.name}
              queue={queue}
              values={history.map((moment) => moment.upstreams.get(queue.name) ?? 0)}
            />
          ))}
        </ul>
      </section>
    </>
  );
}

/** Upstreams with waiting requests come first. Otherwise the order is stable, so that rows do not jump. */
function busiestFirst(upstreams: Live['upstreams']): Live['upstreams'] {
  return upstreams.toSorted((one, other) => Number(other.waiting > 0) - Number(one.waiting > 0));
}

/** The first steps for the operator of a new gateway. */
function OperatorSteps() {
  const { t } = useText();
  const { user } = useSession();
  const upstreams = useAllRows<Resource<UpstreamSpec>>('/admin/v1/upstreams').data;
  const accounts = useRead<Page<Account>>('/admin/v1/accounts', { limit: 2 }).data;
  const models = useAllRows<Resource>('/admin/v1/models').data;
  const realUpstreams = new Set(upstreams?.filter(({ spec }) => spec.kind !== 'simulated').map(({ name }) => name));
  const steps = upstreams &&
    accounts &&
    models && [
      {
        title: t('steps.upstream'),
        text: t('steps.upstreamText'),
        to: '/app/operator/upstreams',
        isDone: realUpstreams.size > 0,
      },
      {
        title: t('steps.model'),
        text: t('steps.modelText'),
        to: '/app/operator/models',
        isDone: models.some(({ spec }) => upstreamsOf(spec).some((name) => realUpstreams.has(name))),
      },
      {
        title: t('steps.account'),
        text: t('steps.accountText'),
        to: '/app/operator/accounts',
        isDone: accounts.data.length > 0,
      },
      {
        title: t('steps.twoFactor'),
        text: t('steps.twoFactorText'),
        to: '/app/settings/security',
        isDone: user.two_factor,
      },
    ];
  return <FirstSteps name="operator" steps={steps} />;
}

function upstreamsOf(spec: Resource['spec']): readonly string[] {
  const { routes = [] } = spec as { readonly routes?: readonly { readonly upstream?: string }[] };
  return routes.flatMap(({ upstream }) => upstream ?? []);
}
