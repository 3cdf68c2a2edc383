import { Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useSession } from '../../api/session.ts';
import type { Balance, Key, OwnOverview } from '../../api/wire.ts';
import { type Page, refetchMs, useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FirstSteps } from '../../components/first-steps.tsx';
import { CacheSavings, Money } from '../../components/money.tsx';
import { caseName } from '../../components/names.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { type Rank, RankList } from '../../components/rank-list.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { UsageCards } from '../../components/usage-cards.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { LowBalance, UnwantedStreams } from './low-balance.tsx';
import classes from './overview.module.css';
import { useRange } from './range.tsx';

// An account shows only one of them, and each loads a lot of code.
const Charts = lazy(() => import('./charts.tsx'));
const FirstRequest = lazy(() => import('./first-request.tsx'));

/** Before the first request the user waits for it to appear here; later nothing on the page is urgent. */
const quietMs = 3000;
const busyMs = 30_000;

/** The overview of an account. Before its first request: instructions to make one. */
export default function OverviewPage() {
  const { t } = useText();
  const [range, rangeChoice] = useRange();
  const overview = useRead<OwnOverview>('/account/v1/overview', range.query, {
    refetchInterval: ({ state }) => (state.data?.totals.requests === 0 ? quietMs : busyMs),
  });
  const { isKnown, isUnused, hasKey } = useFirstUse(overview.data, quietMs);
  return (
    <>
      <PageHeader
        title={t('nav.overview')}
        description={t('overview.description')}
        withAge
        actions={!isUnused && rangeChoice}
      />
      <Stack gap="lg">
        <LowBalance overview={isKnown ? overview.data : undefined} days={range.days} isUnused={isUnused} />
        <UnwantedStreams overview={overview.data} />
        {isUnused ? (
          <Suspense fallback={<Skeleton height={480} radius="md" />}>
            <FirstRequest hasKey={hasKey} />
          </Suspense>
        ) : overview.error && !overview.data ? (
          <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />
        ) : (
          <>
            {isKnown && <OwnerSteps />}
            <Figures overview={overview.data} />
            <Suspense fallback={<Skeleton height={480} radius="md" />}>
              {isKnown && <Charts overview={overview.data} />}
            </Suspense>
            <TopLists overview={overview.data} />
          </>
        )}
      </Stack>
    </>
  );
}

/** The progress of a new account. */
interface FirstUse {
  /** False while loading. */
  readonly isKnown: boolean;
  /** The account never made a request: neither in the shown range nor with any of its keys. */
  readonly isUnused: boolean;
  readonly hasKey: boolean;
}

function useFirstUse(overview: OwnOverview | undefined, everyMs: number): FirstUse {
  const hasNoRequests = overview?.totals.requests === 0;
  const options = { enabled: hasNoRequests, refetchInterval: everyMs };
  const keys = useRead<Page<Key>>('/account/v1/keys', { limit: 200 }, options).data?.data;
  return {
    isKnown: overview !== undefined && (!hasNoRequests || keys !== undefined),
    isUnused: hasNoRequests && keys !== undefined && keys.every(({ last_used_at }) => last_used_at === null),
    hasKey: keys?.some(({ state }) => state === 'active') ?? false,
  };
}

/** The first steps for the owner of a new account, after the first request succeeded. */
function OwnerSteps() {
  const { t } = useText();
  const { user } = useSession();
  const balance = useRead<Balance>('/account/v1/balance').data;
  return (
    <FirstSteps
      name="owner"
      steps={
        balance && [
          { title: t('steps.key'), text: t('steps.keyText'), to: '/app/keys', isDone: true },
          { title: t('steps.sendRequest'), text: t('steps.sendRequestText'), to: '/app/playground', isDone: true },
          {
            title: t('steps.credit'),
            text: t('steps.creditText'),
            to: '/app/billing',
            isDone: Number(balance.total) > 0,
          },
          {
            title: t('steps.twoFactor'),
            text: t('steps.twoFactorText'),
            to: '/app/settings/security',
            isDone: user.two_factor,
          },
        ]
      }
    />
  );
}

/** The most important numbers. */
function Figures({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const balance = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: refetchMs }).data;
  const totals = overview?.totals;
  return (
    <StatRow>
      <StatCard
        label={t('overview.balance')}
        value={balance && <Money amount={balance.total} currency={balance.currency} />}
        hint={
          <>
            {balance && (
              <div>
                {t('overview.balanceParts', {
                  spendable: format.money(balance.spendable, balance.currency),
                  reserved: format.money(balance.reserved, balance.currency),
                })}
              </div>
            )}
            <ViewAnchor to="/app/billing" fz="xs">
              {t('overview.seeBilling')}
            </ViewAnchor>
          </>
        }
      />
      <StatCard
        label={t('overview.spend')}
        value={totals && <Money amount={totals.spend} />}
        hint={totals && <CacheSavings amount={totals.cache_savings} otherwise={t('overview.spendHint')} />}
      />
      <StatCard
        label={t('overview.requests')}
        value={totals && format.compact(totals.requests)}
        hint={totals && errorHint(t, format, totals)}
      />
      <UsageCards totals={totals} />
    </StatRow>
  );
}

function errorHint(
  t: ReturnType<typeof useText>['t'],
  format: ReturnType<typeof useFormat>,
  { requests, errors }: OwnOverview['totals'],
): string {
  if (errors === 0) return t('overview.noErrors');
  return t('overview.errorsHint', { count: errors, share: format.percent(errors / requests) });
}

const requests = '/app/requests';

/** The models and keys with the highest spend, and the most frequent errors. */
function TopLists({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const spent = (line: { readonly spend: string; readonly requests: number }) => ({
    weight: Number(line.spend),
    amount: <Money amount={line.spend} />,
    side: t('overview.requestCount', { count: line.requests }),
    to: requests,
  });
  const models = overview?.top_models.map(
    (line): Rank => ({
      ...spent(line),
      id: line.model,
      name: line.model || t('overview.unknownModel'),
      ...(line.model && { search: { model: line.model } }),
    }),
  );
  const keys = overview?.top_keys.map(
    (line): Rank => ({
      ...spent(line),
      id: line.id,
      name: line.name ?? line.id,
      search: { key: line.id },
    }),
  );
  const errors = overview?.errors_by_case.map(
    (line): Rank => ({
      id: line.error_case,
      name: caseName(line.error_case, t),
      weight: line.requests,
      amount: format.number(line.requests),
      side: line.status,
      to: requests,
      search: { error_case: line.error_case, range: 'custom', since: overview.since, until: overview.until },
    }),
  );
  return (
    <div className={classes['lists']}>
      <RankList title={t('overview.topModels')} ranks={bySpend(models)} />
      <RankList title={t('overview.topKeys')} ranks={bySpend(keys)} />
      {errors && errors.length > 0 && <RankList title={t('usage.failing')} ranks={errors} />}
    </div>
  );
}

function bySpend(ranks: readonly Rank[] | undefined): readonly Rank[] | undefined {
  return ranks?.toSorted((one, other) => other.weight - one.weight);
}
