import { Button, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { Account, Live } from '../../api/wire.ts';
import { type Page, useAllRows, useRead } from '../../api/queries.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { Beat } from '../../components/cells.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FirstSteps } from '../../components/first-steps.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ViewAnchor, ViewButton } from '../../components/view-links.tsx';
import { UpstreamsIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { AccountLoads } from './account-loads.tsx';
import { AccountLooks } from './account-looks.tsx';
import { Figures } from './figures.tsx';
import { LatestRequests } from './latest-requests.tsx';
import classes from './live.module.css';
import { slotShares } from './slot-shares.ts';
import { namedMax } from './slot-strip.tsx';
import { type Moment, useHistory } from './sparkline.tsx';
import { texts } from './texts.ts';
import { UpstreamQueue } from './upstream-queue.tsx';

const intervalMs = 2000;
/** Accounts in the list over all upstreams. */
const listedMax = 12;

/** The running and waiting requests now. Polls while the page is visible, unless the user pauses it. */
export default function LivePage() {
  const t = usePageText(texts);
  const { t: common } = useText();
  const [isPaused, setPaused] = useState(false);
  const live = useRead<Live>('/admin/v1/live', {}, { refetchInterval: isPaused ? false : intervalMs, staleTime: 0 });
  const { data, error, refetch } = live;
  const { upstreams, accounts, models } = useStepReads();
  const history = useHistory(data);
  const isStill = isPaused || error !== null;
  return (
    <>
      <PageHeader
        title={common('nav.live')}
        description={t('description')}
        actions={
          <>
            <span className={classes['pulse']} role="status">
              <Beat isStill={isStill} />
              {t(isPaused ? 'paused' : error ? 'stopped' : 'updating')}
            </span>
            <Button variant="default" size="xs" onClick={() => setPaused(!isPaused)}>
              {isPaused ? t('resume') : t('pause')}
            </Button>
          </>
        }
      />
      <AfterReads reads={[live, upstreams, accounts, models]}>
        <Stack gap="xl">
          <OperatorSteps />
          <ErrorNotice error={error} onRetry={() => void refetch()} />
          {(data || !error) && <Figures live={data} history={history} />}
          {data && <Queues live={data} history={history} />}
          {data && data.upstreams.length > 0 && <LatestRequests everyMs={isPaused ? false : intervalMs} />}
        </Stack>
      </AfterReads>
    </>
  );
}

function Queues({ live, history }: { readonly live: Live; readonly history: readonly Moment[] }) {
  const t = usePageText(texts);
  const { upstreams, accounts } = live;
  if (upstreams.length === 0) {
    return (
      <EmptyState
        icon={<UpstreamsIcon />}
        title={t('noUpstreamsTitle')}
        text={t('noUpstreamsText')}
        action={<ViewButton to="/app/operator/upstreams">{t('toUpstreams')}</ViewButton>}
      />
    );
  }
  const busy = upstreams.filter((queue) => queue.accounts.length > 0).length;
  const drawn = [accounts.slice(0, listedMax), ...upstreams.map((queue) => slotShares(queue, namedMax).named)].flat();
  return (
    <AccountLooks ids={drawn.map(({ id }) => id)}>
      <section aria-labelledby="live-upstreams">
        <Title order={2} id="live-upstreams" mb="md">
          {t('byUpstream')}
        </Title>
        {accounts.length === 0 && <Idle />}
        <ul className={classes['list']}>
          {worstFirst(upstreams).map((queue) => (
            <UpstreamQueue
              key={queue.name}
              queue={queue}
              values={history.map((moment) => moment.upstreams.get(queue.name) ?? 0)}
            />
          ))}
        </ul>
      </section>
      {busy > 1 && (
        <section aria-labelledby="live-accounts">
          <Title order={2} id="live-accounts" mb="xs">
            {t('byAccount')}
          </Title>
          <AccountLoads label={t('byAccount')} accounts={accounts} most={listedMax} />
        </section>
      )}
    </AccountLooks>
  );
}

/** Explains the picture while nothing runs. */
function Idle() {
  const t = usePageText(texts);
  const { account } = useAccountChoice();
  return (
    <div className={classes['calm']}>
      {t('idle')}{' '}
      {account?.mayWrite && (
        <ViewAnchor to="/app/playground" fz="sm">
          {t('sendOne')}
        </ViewAnchor>
      )}
    </div>
  );
}

/** Upstreams without a working credential come first, then those with waiting requests. Rows jump for nothing else. */
function worstFirst(upstreams: Live['upstreams']): Live['upstreams'] {
  const trouble = ({ state, waiting }: Live['upstreams'][number]) =>
    state === 'disabled' || state === 'ejected' ? 2 : Number(waiting > 0);
  return upstreams.toSorted((one, other) => trouble(other) - trouble(one));
}

function useStepReads() {
  return {
    upstreams: useAllRows<Resource<UpstreamSpec>>('/admin/v1/upstreams'),
    accounts: useRead<Page<Account>>('/admin/v1/accounts', { limit: 2 }),
    models: useAllRows<Resource>('/admin/v1/models'),
  };
}

/** The first steps for the operator of a new gateway. */
function OperatorSteps() {
  const { t } = useText();
  const { user } = useSession();
  const reads = useStepReads();
  const [upstreams, accounts, models] = [reads.upstreams.data, reads.accounts.data, reads.models.data];
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
