import { SegmentedControl, Stack } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { rangeNames, useRange } from '../overview/range.ts';
import type { Usage } from '../usage/request-filter.ts';
import { allUsage } from '../usage/scope.ts';
import { UsageFigures } from '../usage/usage-figures.tsx';
import { BusinessCharts } from './business-charts.tsx';
import { Rankings } from './rankings.tsx';

const everyMs = 60_000;

/** The business view: revenue, cost, accounts and errors. */
export default function OperatorOverviewPage() {
  const { t, timeZone } = useText();
  const [range, setRange] = useRange();
  const span = { ...range.query, zone: timeZone };
  const usage = useRead<Usage>(allUsage.api, { by: 'account', ...span }, { refetchInterval: everyMs });
  const choices = rangeNames.map((value) => ({ value, label: t(`overview.range${value}`) }));
  return (
    <>
      <PageHeader
        title={t('nav.business')}
        description={t('usage.businessDescription')}
        withAge
        actions={
          <SegmentedControl
            aria-label={t('overview.range')}
            size="sm"
            data={choices}
            value={range.name}
            onChange={setRange}
          />
        }
      />
      {usage.error && !usage.data ? (
        <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <Stack gap="lg">
          <UsageFigures usage={usage.data} scope={allUsage} />
          <BusinessCharts usage={usage.data} />
          <Rankings accounts={usage.data} span={span} everyMs={everyMs} />
        </Stack>
      )}
    </>
  );
}
