import { Anchor, Text } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import type { Balance, Payments } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { useText } from '../../text/text.tsx';

/** The balance, by kind of funds. */
export function BalanceCards() {
  const { t } = useText();
  const { data, error, refetch } = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: refetchMs });
  const amount = (value: string | undefined) =>
    value === undefined ? undefined : <Money amount={value} {...(data && { currency: data.currency })} />;
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <StatRow>
        <StatCard label={t('billing.total')} value={amount(data?.total)} hint={t('billing.totalHint')} />
        <StatCard label={t('billing.granted')} value={amount(data?.granted)} hint={t('billing.grantedHint')} />
        <StatCard label={t('billing.toppedUp')} value={amount(data?.topped_up)} hint={t('billing.toppedUpHint')} />
        <StatCard label={t('billing.reserved')} value={amount(data?.reserved)} hint={t('billing.reservedHint')} />
      </StatRow>
      <Text c="dimmed" fz="sm" mt="sm">
        <TopUp />
      </Text>
    </>
  );
}

/** How to top up: on the payment page if payments are offered, otherwise by asking the operator. */
function TopUp() {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const { support_email: email } = useSession();
  const isOffered = useRead<Payments>('/account/v1/payments').data?.is_offered ?? false;
  if (isOffered) return <>{t(mayWrite ? 'billing.topUpPay' : 'billing.topUpMembers')}</>;
  if (!email) return <>{t('billing.topUpAsk')}</>;
  return (
    <>
      {t('billing.topUpText')}{' '}
      <Anchor href={`mailto:${email}`} inherit underline="always">
        {email}
      </Anchor>
    </>
  );
}
