import { SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { OwnOverview } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { Figures } from './figures.tsx';
import { LowBalance } from './low-balance.tsx';
import { OwnerSteps } from './owner-steps.tsx';
import { rangeNames, useRange } from './range.ts';
import { TopLists } from './top-lists.tsx';
import { UnwantedStreams } from './unwanted-streams.tsx';
import { useFirstUse } from './beginning.ts';

// An account shows only one of them, and each loads a lot of code.
const Charts = lazy(() => import('./charts.tsx'));
const FirstRequest = lazy(() => import('./first-request.tsx'));

/** Before the first request the user waits for it to appear here; later nothing on the page is urgent. */
const quietMs = 3000;
const busyMs = 30_000;

/** The overview of an account. Before its first request: instructions to make one. */
export default function OverviewPage() {
  const { t } = useText();
  const [range, setRange] = useRange();
  const overview = useRead<OwnOverview>('/account/v1/overview', range.query, {
    refetchInterval: ({ state }) => (state.data?.totals.requests === 0 ? quietMs : busyMs),
  });
  const { isKnown, isUnused, hasKey } = useFirstUse(overview.data, quietMs);
  const choices = rangeNames.map((value) => ({ value, label: t(`overview.range${value}`) }));
  return (
    <>
      <PageHeader
        title={t('nav.overview')}
        description={t('overview.description')}
        withAge
        actions={
          !isUnused && (
            <SegmentedControl
              aria-label={t('overview.range')}
              size="sm"
              data={choices}
              value={range.name}
              onChange={setRange}
            />
          )
        }
      />
      <Stack gap="lg">
        <LowBalance overview={overview.data} days={range.days} isUnused={isUnused} />
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
