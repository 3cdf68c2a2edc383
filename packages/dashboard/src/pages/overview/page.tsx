import { Skeleton, Stack } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import type { Account, Balance, OwnOverview } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FirstSteps } from '../../components/first-steps.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { OverviewFigures } from './figures.tsx';
import { FirstRequest } from './first-request.tsx';
import { LowBalance, UnwantedStreams } from './low-balance.tsx';
import { useRange } from './range.tsx';

/** As high as the figures and charts that replace it. */
const loading = (
  <>
    <Skeleton height={316} radius="lg" />
    <Skeleton height={94} radius="lg" />
    <Skeleton height={312} radius="lg" />
  </>
);

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
  const balance = useRead<Balance>('/account/v1/balance');
  // The notices above the figures depend on the balance. Shown later, they would move the page.
  const isReady = isKnown && (balance.data !== undefined || balance.error !== null);
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
        <UnwantedStreams overview={isReady ? overview.data : undefined} />
        {isUnused ? (
          <FirstRequest hasKey={hasKey} />
        ) : overview.error && !overview.data ? (
          <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />
        ) : (
          <>
            {isReady && <OwnerSteps balance={balance.data} />}
            {isReady && overview.data ? <OverviewFigures overview={overview.data} /> : loading}
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
  const account = useRead<Account>('/account/v1/account', {}, options).data;
  return {
    isKnown: overview !== undefined && (!hasNoRequests || account !== undefined),
    isUnused: hasNoRequests && account?.last_used_at === null,
    hasKey: account !== undefined && account.keys > 0,
  };
}

/** The first steps for the owner of a new account, after the first request succeeded. */
function OwnerSteps({ balance }: { readonly balance: Balance | undefined }) {
  const { t } = useText();
  const { user } = useSession();
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
            isDone: Number(balance.total) > 0 || balance.billing === 'postpaid',
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
