import { Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { AccountPage, OperatorUsage } from '../../api/wire.ts';
import { CardGrid, PointsChart } from '../../components/chart-grid.tsx';
import type { ChartSpan } from '../../components/chart-look.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Money } from '../../components/money.tsx';
import { accountName } from '../../components/names.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { type Rank, RankList } from '../../components/rank-list.tsx';
import { isQuiet, TrafficCharts } from '../../components/traffic-charts.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { useRange } from '../overview/range.tsx';
import { lineFilter, lineName, spanFilter, type Usage, type UsageLine } from '../usage/usage-line.ts';
import { allUsage, type Grouping } from '../usage/scope.ts';
import { isCosted } from '../usage/margin.tsx';
import { UsageLead, UsageRow } from '../usage/usage-figures.tsx';

const everyMs = 60_000;

/** The business view: revenue, cost, accounts and errors. */
export default function OperatorOverviewPage() {
  const { t, timeZone } = useText();
  const [range, rangeChoice] = useRange();
  const query = { by: 'account', top: 'model,upstream,error', ...range.query, zone: timeZone };
  const usage = useRead<OperatorUsage>(allUsage.api, query, { refetchInterval: everyMs });
  const navigate = useNavigate();
  const openRequests: ChartPick = (picked) =>
    void navigate({ to: allUsage.requests, search: spanFilter(picked, undefined) });
  return (
    <>
      <PageHeader
        title={t('nav.business')}
        description={t('usage.businessDescription')}
        withAge
        actions={rangeChoice}
      />
      {usage.error && !usage.data ? (
        <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <Stack gap="lg">
          <UsageLead usage={usage.data} scope={allUsage} measure="spend">
            <MoneyChart usage={usage.data} onPick={openRequests} />
          </UsageLead>
          <UsageRow usage={usage.data} scope={allUsage} />
          <TrafficCharts {...pointsOf(usage.data)} totals={usage.data?.totals} onPick={openRequests} />
          <Rankings usage={usage.data} />
        </Stack>
      )}
    </>
  );
}

/** Revenue and provider cost over the range. */
function MoneyChart({ usage, onPick }: { readonly usage: Usage | undefined; readonly onPick: ChartPick }) {
  const { t } = useText();
  const costed = usage && isCosted(usage.totals);
  return (
    <PointsChart
      {...pointsOf(usage)}
      isEmpty={isQuiet}
      onPick={onPick}
      label={t('usage.moneyChart')}
      shape="bars"
      unit="money"
      height={232}
      lines={[
        { label: t('usage.revenue'), color: 1, total: usage?.totals.spend, value: ({ spend }) => Number(spend) },
        ...(costed
          ? ([
              {
                label: t('usage.providerCost'),
                color: 2,
                total: usage.totals.provider_cost,
                value: (point: Usage['series'][number]) => Number(point.provider_cost ?? 0),
              },
            ] as const)
          : []),
      ]}
    />
  );
}

type ChartPick = (span: ChartSpan) => void;

/** The points of the charts of a page. */
function pointsOf(usage: Usage | undefined) {
  return {
    times: usage?.points.map(({ at }) => at),
    until: usage?.points.at(-1)?.until,
    interval: usage?.interval ?? 'day',
    points: usage?.series,
  } as const;
}

/** Rankings of accounts, models, upstreams and errors, each with a link to the full list. */
function Rankings({ usage }: { readonly usage: OperatorUsage | undefined }) {
  const { t } = useText();
  const spend = useRanks('spend');
  const counts = useRanks('requests');
  const top = (by: Grouping) => usage && { ...usage, lines: usage.top.find((each) => each.by === by)?.lines ?? [] };
  const errors = top('error');
  const failures = errors && { ...errors, lines: errors.lines.filter((line) => line.errors > 0) };
  return (
    <CardGrid>
      <RankList title={t('usage.topAccounts')} ranks={spend('account', usage)} action={<SeeAll by="account" />} />
      <RankList title={t('usage.topModels')} ranks={spend('model', top('model'))} action={<SeeAll by="model" />} />
      <RankList
        title={t('usage.topUpstreams')}
        ranks={counts('upstream', top('upstream'))}
        action={<SeeAll by="upstream" />}
      />
      <RankList title={t('usage.failing')} ranks={counts('error', failures)} action={<SeeAll by="error" />} />
      <LowestBalances />
    </CardGrid>
  );
}

function SeeAll({ by }: { readonly by: Grouping }) {
  const { t } = useText();
  return (
    <ViewAnchor to="/app/operator/usage" search={{ by }} fz="sm">
      {t('usage.seeAll')}
    </ViewAnchor>
  );
}

/** Turns usage rows into ranks, by spend or by request count. */
function useRanks(by: 'spend' | 'requests') {
  const { t } = useText();
  const format = useFormat();
  return (grouping: Grouping, usage: Usage | undefined): readonly Rank[] | undefined =>
    usage?.lines.map((line: UsageLine): Rank => {
      const filter = lineFilter(grouping, line);
      const failed = line.errors > 0 && t('usage.failedShare', { share: format.percent(line.errors / line.requests) });
      return {
        id: `${line.kind} ${line.value ?? ''}`,
        name: lineName(grouping, line, t),
        weight: Number(line[by]),
        amount: by === 'spend' ? <Money amount={line.spend} /> : format.number(line.requests),
        side: grouping === 'error' ? undefined : by === 'spend' ? format.compact(line.requests) : failed,
        ...(filter && { to: allUsage.requests, search: { ...spanFilter(usage, undefined), ...filter } }),
      };
    });
}

function LowestBalances() {
  const { t } = useText();
  const query = { sort: 'lowest_balance', status: 'active', limit: 6 };
  const { data } = useRead<AccountPage>('/admin/v1/accounts', query, { refetchInterval: everyMs });
  const ranks = data?.data.map(
    (account): Rank => ({
      id: account.id,
      name: accountName(account),
      weight: 0,
      amount: <Money amount={account.balance} />,
      to: `/app/operator/accounts/${encodeURIComponent(account.id)}`,
    }),
  );
  return <RankList title={t('usage.lowest')} ranks={ranks} />;
}
