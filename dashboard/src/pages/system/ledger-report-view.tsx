import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { LedgerCheck, LedgerReport } from '../../api/wire.ts';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { type FixedTextKey, type Translate, useText } from '../../text/text.tsx';
import { ledgerChecks } from './ledger-checks.ts';
import classes from './system.module.css';

const titleKeys: Readonly<Record<string, FixedTextKey>> = ledgerChecks;

/** The report of a verification: the result, then each check with its violations. */
export function LedgerReportView({ report }: { readonly report: LedgerReport }) {
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
