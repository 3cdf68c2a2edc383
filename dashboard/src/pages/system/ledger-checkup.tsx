import { Button, Card, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useMayOperate } from '../../api/session.ts';
import type { LedgerReport } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { LedgerReportView } from './ledger-report-view.tsx';
import { Part } from './part.tsx';

/** Checks the ledger on demand and shows the report. Changes nothing. */
export function LedgerCheckup() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const verify = useMutation<{ readonly report: LedgerReport; readonly at: string }, ApiError>({
    mutationFn: async () => {
      const report = await call<LedgerReport>('/admin/v1/ledger/verify', { method: 'POST' });
      return { report, at: new Date().toISOString() };
    },
  });
  return (
    <Part title={t('system.ledger')} text={t('system.ledgerText')}>
      {mayOperate && (
        <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          {t(verify.data ? 'system.verifyAgain' : 'system.verify')}
        </Button>
      )}
      <div aria-live="polite">
        {verify.isPending && (
          <Text fz="sm" c="dimmed" mt="xs">
            {t('system.verifying')}
          </Text>
        )}
        {verify.error && <ErrorNotice error={verify.error} />}
        {verify.data && !verify.isPending && (
          <Card mt="md">
            <LedgerReportView report={verify.data.report} />
            <Text fz="xs" c="dimmed" mt="md">
              {t('system.verified')} <When at={verify.data.at} />
            </Text>
          </Card>
        )}
      </div>
    </Part>
  );
}
