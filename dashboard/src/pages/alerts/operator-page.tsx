import { Stack } from '@mantine/core';
import { useMayOperate } from '../../api/session.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { MailCard } from './mail-card.tsx';
import { operatorSide } from './side.ts';
import { WebhooksCard } from './webhooks-card.tsx';

/** Webhooks and e-mails about the whole gateway. */
export default function OperatorAlertsPage() {
  const { t } = useText();
  const mayChange = useMayOperate();
  return (
    <>
      <PageHeader withAge title={t('nav.alerts')} description={t('alerts.operatorDescription')} />
      <Stack gap="lg">
        <WebhooksCard side={operatorSide} mayChange={mayChange} />
        <MailCard mayChange={mayChange} />
        <DeliveryLog side={operatorSide} mayChange={mayChange} />
      </Stack>
    </>
  );
}
