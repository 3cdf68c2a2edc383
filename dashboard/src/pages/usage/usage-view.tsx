import { Alert, Stack, Text } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RefreshIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { Usage } from './request-filter.ts';
import type { UsageScope } from './scope.ts';
import { UsageChart } from './usage-chart.tsx';
import { UsageFigures } from './usage-figures.tsx';
import { UsageFilters, useUsageLabels } from './usage-filters.tsx';
import { useUsageChoice, useUsageQuery } from './usage-query.ts';
import { UsageTable } from './usage-table.tsx';

const everyMs = 60_000;

/** Usage by one dimension over any time range, as a chart, a table and an export. */
export function UsageView({ scope }: { readonly scope: UsageScope }) {
  const { t, timeZone } = useText();
  const choice = useUsageChoice(scope);
  const query = useUsageQuery(choice);
  const labels = useUsageLabels();
  const isComplete = choice.range !== 'custom' || choice.since !== undefined;
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
        {data?.is_complete === false && (
          <Alert color="yellow" icon={<RefreshIcon />} title={t('usage.incompleteTitle')} role="status">
            {t('usage.incompleteText')}
          </Alert>
        )}
        {error ? (
          <ErrorNotice error={error} labels={labels} onRetry={() => void refetch()} />
        ) : (
          <>
            <UsageFigures usage={data} scope={scope} account={choice.account} />
            <UsageChart usage={data} choice={choice} />
            <UsageTable usage={data} scope={scope} choice={choice} />
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
