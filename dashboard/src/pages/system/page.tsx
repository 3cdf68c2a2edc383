import { Stack } from '@mantine/core';
import type { System } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { Configuration } from './configuration.tsx';
import { StoredResponsesPart } from './stored-responses.tsx';
import { LedgerCheckup } from './ledger-checkup.tsx';
import { DeadLetterCharges } from './refused-charges.tsx';
import { Replicas } from './replicas.tsx';
import { Support } from './support.tsx';
import { SystemFigures } from './vitals.tsx';

/** The state of the gateway, polled every few seconds. */
export default function SystemPage() {
  const { t } = useText();
  const { data, error, refetch } = useRead<System>('/admin/v1/system', {}, { refetchInterval: 5000 });
  return (
    <>
      <PageHeader withAge title={t('nav.system')} description={t('system.description')} />
      <Stack gap="xl">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <SystemFigures system={data} />
        {data && <DeadLetterCharges charges={data.dead_letter_charges} />}
        <Replicas replicas={data?.replicas} />
        <StoredResponsesPart stored={data?.stored_responses} />
        {data && <Configuration config={data.config} />}
        <LedgerCheckup />
        <Support />
      </Stack>
    </>
  );
}
