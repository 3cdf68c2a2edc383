import { Stack } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { EmailsCard } from './emails-card.tsx';
import { LowBalanceCard } from './low-balance-card.tsx';
import { ownSide } from './side.ts';
import { WebhooksCard } from './webhooks-card.tsx';

/** Alert settings of an account: threshold, e-mails and webhooks. */
export default function AlertsPage() {
  const { t } = useText();
  const mayChange = useAccount().role === 'owner';
  return (
    <>
      <PageHeader withAge title={t('nav.alerts')} description={t('alerts.description')} />
      <Stack gap="lg">
        <LowBalanceCard mayChange={mayChange} />
        <EmailsCard mayChange={mayChange} />
        <WebhooksCard side={ownSide} mayChange={mayChange} />
        <DeliveryLog side={ownSide} mayChange={mayChange} />
      </Stack>
    </>
  );
}
