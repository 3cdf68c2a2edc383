import { useNavigate } from '@tanstack/react-router';
import { shownParts } from '../../components/balance-parts.ts';
import type { ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import type { Balance, OwnOverview } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { Change } from '../../components/change.tsx';
import { CardGrid, PointsChart } from '../../components/chart-grid.tsx';
import type { ChartSpan } from '../../components/chart-look.ts';
import { FigureRow, LeadCard } from '../../components/figures.tsx';
import { CacheSavings, Money } from '../../components/money.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { LimitsCard } from '../../components/limit-windows.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { usePageText } from '../../text/page-text.ts';
import { caseName } from '../../components/names.ts';
import { type Rank, RankList } from '../../components/rank-list.tsx';
import { isQuiet, TrafficCharts } from '../../components/traffic-charts.tsx';
import { TrafficFigures } from '../../components/traffic-figures.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { spanFilter } from '../usage/usage-line.ts';

interface OverviewProps {
  readonly overview: OwnOverview;
}

/** The spend of an account and its trend, the balance, traffic, and the models and keys with the highest spend. */
export function OverviewFigures({ overview }: OverviewProps) {
  const { t } = useText();
  const navigate = useNavigate();
  const openRequests = (span: ChartSpan) => void navigate({ to: requests, search: spanFilter(span, undefined) });
  const { totals, previous, series, until, interval } = overview;
  const points = { times: series.map(({ at }) => at), until, interval, points: series, onPick: openRequests };
  return (
    <>
      <Spend overview={overview}>
        <PointsChart
          {...points}
          isEmpty={isQuiet}
          label={t('overview.spendChart')}
          shape="bars"
          unit="money"
          height={212}
          lines={[{ label: t('overview.spend'), color: 1, total: totals.spend, value: ({ spend }) => Number(spend) }]}
        />
      </Spend>
      <OwnLimits />
      <FigureRow>
        <TrafficFigures
          totals={totals}
          previous={previous ?? undefined}
          span={overview}
          requests={{ to: requests, search: spanFilter(overview, undefined) }}
        />
      </FigureRow>
      <TrafficCharts {...points} totals={totals} />
      <TopLists overview={overview} />
    </>
  );
}

/** Each limit of the account in its current period. */
function OwnLimits() {
  return <LimitsCard windows={useOwnAccount()?.windows} />;
}

const requests = '/app/requests';

/** The spend and the balance. */
function Spend({ overview, children }: OverviewProps & { readonly children: ReactNode }) {
  const { t } = useText();
  const l = usePageText(limitTexts);
  const format = useFormat();
  const { currency } = useSession();
  const balance = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: refetchMs }).data;
  const isPostpaid = balance?.billing === 'postpaid';
  const { totals, previous } = overview;
  return (
    <LeadCard
      label={t('overview.spend')}
      value={<Money amount={totals.spend} />}
      change={
        <Change
          now={totals.spend}
          before={previous ? previous.spend : '0'}
          span={overview}
          write={(amount) => format.money(String(amount), currency)}
          isNamed
        />
      }
      note={<CacheSavings amount={totals.cache_savings} />}
      second={{
        label: isPostpaid ? l('open') : t('overview.balance'),
        value: balance && (
          <Money amount={isPostpaid ? balance.open_amount : balance.total} currency={balance.currency} />
        ),
        change:
          balance &&
          !isPostpaid &&
          t('overview.balanceParts', {
            spendable: format.money(shownParts(balance).spendable, balance.currency),
            reserved: format.money(shownParts(balance).reserved, balance.currency),
          }),
        note: (
          <ViewAnchor to="/app/billing" inherit>
            {t('overview.seeBilling')}
          </ViewAnchor>
        ),
      }}
    >
      {children}
    </LeadCard>
  );
}

/** The models and keys with the highest spend, and the most frequent errors. */
function TopLists({ overview }: OverviewProps) {
  const { t } = useText();
  const format = useFormat();
  const spent = (line: { readonly spend: string; readonly requests: number }) => ({
    weight: Number(line.spend),
    amount: <Money amount={line.spend} />,
    side: t('overview.requestCount', { count: line.requests }),
    to: requests,
  });
  const models = overview.top_models.map(
    (line): Rank => ({
      ...spent(line),
      id: line.model,
      name: line.model || t('overview.unknownModel'),
      ...(line.model && { search: { model: line.model } }),
    }),
  );
  const keys = overview.top_keys.map(
    (line): Rank => ({
      ...spent(line),
      id: line.id,
      name: line.name ?? line.id,
      search: { key: line.id },
    }),
  );
  const errors = overview.errors_by_case.map(
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
    <CardGrid>
      <RankList title={t('overview.topModels')} ranks={bySpend(models)} />
      <RankList title={t('overview.topKeys')} ranks={bySpend(keys)} />
      {errors.length > 0 && <RankList title={t('usage.failing')} ranks={errors} />}
    </CardGrid>
  );
}

function bySpend(ranks: readonly Rank[]): readonly Rank[] {
  return ranks.toSorted((one, other) => other.weight - one.weight);
}
