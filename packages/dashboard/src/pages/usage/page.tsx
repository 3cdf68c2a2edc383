import { Alert, Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRead } from '../../api/queries.ts';
import { amountLeft } from '../../components/chart-figures.ts';
import type { ChartSpan } from '../../components/chart-look.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RefreshIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { wallTime } from '../../text/wall-clock.ts';
import { groupingWords, lineName, spanFilter, type Usage, type UsageLine } from './usage-line.ts';
import { allUsage, isOffered, ownUsage, type UsageScope } from './scope.ts';
import { UsageLead, UsageRow } from './usage-figures.tsx';
import { UsageFilters, useUsageLabels } from './usage-filters.tsx';
import { type Measure, type UsageChoice, usageFilters, useUsageChoice, useUsageQuery } from './usage-query.ts';
import { UsageTable } from './usage-table.tsx';

export default function UsagePage() {
  return <UsageView scope={ownUsage} />;
}

export function OperatorPage() {
  return <UsageView scope={allUsage} />;
}

/** Owners never see provider cost, so their page does not load it. */
const MarginTable = lazy(() => import('./margin-table.tsx'));

const everyMs = 60_000;

/** Usage by one dimension over any time range, as a chart, a table and an export. */
function UsageView({ scope }: { readonly scope: UsageScope }) {
  const { t, timeZone } = useText();
  const choice = useUsageChoice(scope);
  const query = useUsageQuery(choice);
  const labels = useUsageLabels();
  const isComplete = choice.unknownBy === undefined && (choice.range !== 'custom' || choice.since !== undefined);
  const { data, error, refetch } = useRead<Usage>(scope.api, query, {
    refetchInterval: everyMs,
    enabled: isComplete,
  });
  return (
    <>
      <PageHeader
        title={t(scope.isOperator ? 'nav.allUsage' : 'nav.usage')}
        description={t(scope.isOperator ? 'usage.operatorDescription' : 'usage.description')}
        withAge
        actions={
          isComplete && (
            <ExportButton
              path={`${scope.api}.csv`}
              query={{ ...query, order: undefined }}
              name={`usage-by-${choice.by}`}
              labels={labels}
            />
          )
        }
      />
      <Stack gap="lg">
        <UsageFilters scope={scope} choice={choice} />
        {choice.unknownBy !== undefined && <UnknownGrouping scope={scope} choice={choice} />}
        {data?.is_complete === false && (
          <Alert color="yellow" icon={<RefreshIcon />} title={t('usage.incompleteTitle')} role="status">
            {t('usage.incompleteText')}
          </Alert>
        )}
        {choice.unknownBy !== undefined ? null : error ? (
          <ErrorNotice error={error} labels={labels} onRetry={() => void refetch()} />
        ) : (
          <>
            <UsageLead usage={data} scope={scope} measure={choice.drawn} account={choice.account}>
              <UsageChart usage={data} scope={scope} choice={choice} />
            </UsageLead>
            <UsageRow usage={data} scope={scope} account={choice.account} />
            <UsageTable usage={data} scope={scope} choice={choice} />
            {scope.isOperator && (
              <Suspense fallback={null}>
                <MarginTable usage={data} scope={scope} choice={choice} />
              </Suspense>
            )}
          </>
        )}
        {data?.has_whole_days === false && (
          <Text fz="sm" c="dimmed">
            {t('usage.halfHours', { zone: timeZone })}
          </Text>
        )}
      </Stack>
    </>
  );
}

/** The groupings to choose from instead of one that does not exist. */
function UnknownGrouping({ scope, choice }: { readonly scope: UsageScope; readonly choice: UsageChoice }) {
  const { t } = useText();
  const [values] = useFilters(usageFilters);
  const offered = scope.groupings.filter((one) => isOffered(one, choice.account));
  return (
    <Alert color="red" icon={<WarningIcon />} title={t('usage.unknownBy', { by: choice.unknownBy ?? '' })} role="alert">
      <Group gap="sm">
        {offered.map((by) => (
          <ViewAnchor key={by} to="." search={{ ...values, by }} inherit>
            {t(groupingWords[by])}
          </ViewAnchor>
        ))}
      </Group>
    </Alert>
  );
}

/** The number of own colours; grey is for the sum of all others. */
const drawnMax = 3;
const colors = [1, 2, 3] as const;

interface UsageChartProps {
  readonly usage: Usage | undefined;
  readonly scope: UsageScope;
  readonly choice: UsageChoice;
}

/** The top rows over time, and the sum of all others, on top of each other. A click on a bar selects its time. */
function UsageChart({ usage, scope, choice }: UsageChartProps) {
  const { t } = useText();
  const { by, drawn } = choice;
  const pick = usePeriod(scope, choice);
  const top = usage?.lines.filter((line) => line.series.length > 0).slice(0, drawnMax) ?? [];
  const lines = top.map((line, index) => ({
    label: lineName(by, line, t),
    color: colors[index] ?? 1,
    total: line[drawn],
    values: line.series.map((point) => Number(point[drawn])),
  }));
  const all = usage?.series.map((point) => Number(point[drawn])) ?? [];
  const rest = all.map((value, at) => value - lines.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const undrawn = usage?.lines.filter((line) => !top.includes(line)) ?? [];
  const [only] = undrawn;
  const other = {
    label: only && undrawn.length === 1 ? lineName(by, only, t) : t('usage.other'),
    color: 4,
    total: usage && restOf(usage, top, drawn),
    values: rest.map((value) => Math.max(0, rounded(value))),
  } as const;
  // A request counts for each of its tags: on top of each other they would show more than there was.
  const isStack = by !== 'tag';
  const series = isStack && undrawn.length > 0 ? [...lines, other] : lines;
  return (
    <TimeChart
      label={t('usage.chart')}
      times={usage?.points.map(({ at }) => at)}
      until={usage?.points.at(-1)?.until}
      series={series}
      interval={choice.interval}
      shape={isStack ? 'stack' : 'lines'}
      height={232}
      unit={drawn === 'spend' ? 'money' : undefined}
      onPick={pick}
    />
  );
}

/** The total of all rows that are not drawn. */
function restOf(usage: Usage, top: readonly UsageLine[], drawn: Measure): string | number {
  if (drawn === 'spend')
    return amountLeft(
      usage.totals.spend,
      top.map(({ spend }) => spend),
    );
  return top.reduce((left, line) => left - line[drawn], usage.totals[drawn]);
}

/** Selects the time of a bar: a month by days, a day by hours. An hour has nothing smaller, so its requests open. */
function usePeriod(scope: UsageScope, { interval, account }: UsageChoice): (span: ChartSpan) => void {
  const { timeZone } = useText();
  const navigate = useNavigate();
  const [, change] = useFilters(usageFilters);
  return (span) => {
    if (interval === 'hour') {
      void navigate({ to: scope.requests, search: spanFilter(span, account) });
      return;
    }
    const day = (at: string | number) => wallTime(at, timeZone).slice(0, 10);
    const finer = interval === 'month' ? 'day' : 'hour';
    const until = day(Date.parse(span.until) - 1);
    change({ range: 'custom', since: day(span.since), until, interval: finer }, { as: 'step' });
  };
}

/** Money has nine decimals; further digits are floating-point noise. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}
