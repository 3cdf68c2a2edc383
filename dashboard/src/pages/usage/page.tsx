import { Alert, Card, Group, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useFilters } from '../../components/filters.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RefreshIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { groupingWords, lineName, type Usage } from './usage-line.ts';
import { allUsage, isOffered, ownUsage, type UsageScope } from './scope.ts';
import { UsageFigures } from './usage-figures.tsx';
import { UsageFilters, useUsageLabels } from './usage-filters.tsx';
import { type UsageChoice, usageFilters, useUsageChoice, useUsageQuery } from './usage-query.ts';
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
        title={t('nav.usage')}
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
            <UsageFigures usage={data} scope={scope} account={choice.account} />
            <UsageChart usage={data} choice={choice} />
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

/** The top rows over time, and the sum of all others. */
function UsageChart({ usage, choice }: { readonly usage: Usage | undefined; readonly choice: UsageChoice }) {
  const { t } = useText();
  const { by, drawn } = choice;
  const top = usage?.lines.filter((line) => line.series.length > 0).slice(0, drawnMax) ?? [];
  const lines = top.map((line, index) => ({
    label: lineName(by, line, t),
    color: colors[index] ?? 1,
    values: line.series.map((point) => Number(point[drawn])),
  }));
  const all = usage?.series.map((point) => Number(point[drawn])) ?? [];
  const rest = all.map((value, at) => value - lines.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const other = {
    label: t('usage.other'),
    color: 4,
    values: rest.map((value) => Math.max(0, rounded(value))),
  } as const;
  const series = (usage?.lines.length ?? 0) > top.length ? [...lines, other] : lines;
  return (
    <Card component="section" aria-label={t('usage.chart')}>
      <TimeChart
        label={t('usage.chart')}
        times={usage?.points.map(({ at }) => at)}
        series={series}
        interval={choice.interval}
        shape={series.length < 2 ? 'bars' : 'lines'}
        height={240}
        unit={drawn === 'spend' ? 'money' : undefined}
      />
    </Card>
  );
}

/** Money has nine decimals; further digits are floating-point noise. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}
