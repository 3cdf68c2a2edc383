import { Button, Card, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useMayOperate } from '../../api/session.ts';
import type { LedgerCheck, LedgerReport } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { When } from '../../components/when.tsx';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { type FixedTextKey, type Translate, useText } from '../../text/text.tsx';
import { ledgerChecks } from './ledger-checks.ts';
import { Part } from './part.tsx';
import classes from './system.module.css';

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

const titleKeys: Readonly<Record<string, FixedTextKey>> = ledgerChecks;

/** The report of a verification: the result, then each check with its violations. */
function LedgerReportView({ report }: { readonly report: LedgerReport }) {
  const { t } = useText();
  const checks = report.checks.length;
  const rowCount = report.checks.reduce((sum, check) => sum + check.count, 0);
  const failed = report.checks.filter(({ violations }) => violations.length > 0).length;
  return (
    <Stack gap="md">
      <div>
        <Title order={3}>{t(report.is_valid ? 'system.ledgerValid' : 'system.ledgerInvalid')}</Title>
        <Text c="dimmed">
          {report.is_valid
            ? t('system.ledgerValidText', { checks, count: rowCount })
            : t('system.ledgerInvalidText', { failed, checks })}
        </Text>
      </div>
      <ul className={classes['checks']}>
        {report.checks.map((check) => (
          <CheckResult key={check.title} check={check} />
        ))}
      </ul>
    </Stack>
  );
}

function CheckResult({ check }: { readonly check: LedgerCheck }) {
  const { t } = useText();
  const isPassed = check.violations.length === 0;
  return (
    <li>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <span
          className={classes[isPassed ? 'good' : 'warning']}
          role="img"
          aria-label={t(isPassed ? 'system.checkPassed' : 'system.checkFailed')}
        >
          {isPassed ? <CheckIcon size={16} /> : <WarningIcon size={16} />}
        </span>
        <div>
          <Text>
            {titleOf(check, t)}{' '}
            <Text span fz="sm" c="dimmed">
              · {t('system.rowCount', { count: check.count })}
            </Text>
          </Text>
          {check.violations.map((violation) => (
            <Code key={violation} block mt={4}>
              {violation}
            </Code>
          ))}
        </div>
      </Group>
    </li>
  );
}

/** A check without a translation shows the title from the gateway. */
function titleOf({ title }: LedgerCheck, t: Translate): string {
  const key = titleKeys[title];
  return key ? t(key) : title;
}
