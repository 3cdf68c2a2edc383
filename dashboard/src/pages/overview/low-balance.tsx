import { Alert, Anchor, Text } from '@mantine/core';
import type { Balance, OwnOverview } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { daysLeft } from './days-left.ts';

/** Below this many days at the present pace the balance counts as low. */
const lowDays = 5;

export interface LowBalanceProps {
  readonly overview: OwnOverview | undefined;
  readonly days: number;
}

/** Says in time that the balance runs out, and whom to ask; nothing where it lasts. */
export function LowBalance({ overview, days }: LowBalanceProps) {
  const { t } = useText();
  const { support_email: email } = useSession();
  const { data: balance } = useRead<Balance>('/account/v1/balance');
  if (!balance || !overview) return null;
  const isEmpty = Number(balance.total) <= 0;
  const left = daysLeft(balance.total, overview.totals.spend, days);
  if (!isEmpty && left > lowDays) return null;
  return (
    <Alert
      color={isEmpty ? 'red' : 'yellow'}
      icon={<WarningIcon />}
      title={t(isEmpty ? 'overview.emptyTitle' : 'overview.lowTitle')}
      role="status"
    >
      <Text fz="sm">
        {isEmpty ? t('overview.emptyText') : t('overview.lowText', { count: Math.max(1, Math.round(left)) })}{' '}
        {email && (
          <Anchor href={`mailto:${email}`} inherit underline="always">
            {t('overview.askTopUp', { email })}
          </Anchor>
        )}{' '}
        <ViewAnchor to="/app/billing" inherit underline="always">
          {t('overview.seeBilling')}
        </ViewAnchor>
      </Text>
    </Alert>
  );
}
