import { Alert, Anchor, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../../api/account.tsx';
import type { Balance, OwnModels, OwnOverview, Payments } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { BillingIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { useHonourStreamFalse } from '../keys/honour-stream-false.ts';
import classes from './overview.module.css';

/** If the balance lasts fewer days than this at the current rate, it counts as low. */
const lowDays = 5;

export interface LowBalanceProps {
  readonly overview: OwnOverview | undefined;
  readonly days: number;
  /** The account never made a request. */
  readonly isUnused: boolean;
}

/** Warns before the balance runs out, with the contact for a top-up. Renders nothing while it lasts. */
export function LowBalance({ overview, days, isUnused }: LowBalanceProps) {
  const { t } = useText();
  const { data: balance } = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: 30_000 });
  const models = useRead<OwnModels>('/account/v1/models', {}, { enabled: isUnused }).data;
  // Only limits end the requests of a postpaid account.
  if (!balance || !overview || balance.billing === 'postpaid') return null;
  const isEmpty = Number(balance.total) <= 0;
  const left = daysLeft(balance.total, overview.totals.spend, days);
  if (!isEmpty && left > lowDays) return null;
  if (isEmpty && isUnused) {
    const hasFree = models?.data.some(({ price }) => price.is_free) ?? false;
    return (
      <Alert color="accent" icon={<BillingIcon />} title={t('overview.noCreditTitle')} role="status">
        <Text fz="sm">
          {t(hasFree ? 'overview.noCreditFreeText' : 'overview.noCreditText')} <TopUpHint isBillingNamed />
        </Text>
      </Alert>
    );
  }
  return (
    <Alert
      color={isEmpty ? 'red' : 'yellow'}
      icon={<WarningIcon />}
      title={t(isEmpty ? 'overview.emptyTitle' : 'overview.lowTitle')}
      role="status"
    >
      <Text fz="sm">
        {isEmpty ? t('overview.emptyText') : t('overview.lowText', { count: Math.max(1, Math.round(left)) })}{' '}
        <TopUpHint isBillingNamed />
      </Text>
    </Alert>
  );
}

/** How to top up: on the billing page, or by asking the operator. In that case the billing page shows the spend. */
function TopUpHint({ isBillingNamed = false }: { readonly isBillingNamed?: boolean }) {
  const { t } = useText();
  const { support_email: email } = useSession();
  const payments = useRead<Payments>('/account/v1/payments').data;
  if (payments?.is_offered)
    return (
      <ViewAnchor to="/app/billing" inherit underline="always">
        {t('overview.topUpOnBilling')}
      </ViewAnchor>
    );
  return (
    <>
      {email ? (
        <Anchor href={`mailto:${email}`} inherit underline="always">
          {t('overview.askTopUp', { email })}
        </Anchor>
      ) : (
        t('overview.askOperator')
      )}{' '}
      {isBillingNamed && (
        <ViewAnchor to="/app/billing" inherit underline="always">
          {t('overview.seeBilling')}
        </ViewAnchor>
      )}
    </>
  );
}

/** How many days a balance lasts at the recent rate. An estimate, so floating-point numbers suffice. */
function daysLeft(balance: string, spent: string, days: number): number {
  const perDay = Number(spent) / days;
  return perDay > 0 ? Number(balance) / perDay : Number.POSITIVE_INFINITY;
}

/**
 * One line about keys whose clients send `stream: false` but get streams. It opens to a list with a button for each
 * key. Renders nothing if there are none.
 */
export function UnwantedStreams({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const { mutate, isPending, variables } = useHonourStreamFalse();
  const keys = overview?.keys_with_unwanted_streams.filter((key) => !key.honour_stream_false) ?? [];
  if (keys.length === 0) return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} py="xs" role="status">
      <details>
        <summary className={classes['unwantedTitle']}>{t('overview.forcedStreamTitle')}</summary>
        <Text fz="sm" mt={4}>
          {t('overview.forcedStreamText')}
        </Text>
        <ul className={classes['unwanted']}>
          {keys.map(({ id, name, ...key }) => (
            <li key={id}>
              <Link to="/app/requests" search={{ key: id }} className={classes['unwantedName']}>
                {name ?? id}
              </Link>
              <span className={classes['unwantedCount']}>
                {t('overview.forcedStreamCount', { count: key.unwanted_streams, of: key.requests })}
              </span>
              {mayWrite && name !== null && (
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={isPending && variables.id === id}
                  onClick={() => mutate({ id, name, isHonoured: true })}
                  aria-label={t('overview.returnNonStreamingKey', { name })}
                >
                  {t('overview.returnNonStreaming')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </details>
    </Alert>
  );
}
