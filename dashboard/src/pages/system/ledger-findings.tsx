import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { LedgerCheck, LedgerReport } from '../../api/wire.ts';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { type PlainKey, type Translate, useText } from '../../text/text.tsx';
import { ledgerRules } from './ledger-rules.ts';
import classes from './system.module.css';

const sentences: Readonly<Record<string, PlainKey>> = ledgerRules;

/** The report of a check: the verdict, then each rule with its violations. */
export function LedgerFindings({ report }: { readonly report: LedgerReport }) {
  const { t } = useText();
  const checks = report.checks.length;
  const count = report.checks.reduce((sum, check) => sum + check.count, 0);
  const broken = report.checks.filter(({ violations }) => violations.length > 0).length;
  return (
    <Stack gap="md">
      <div>
        <Title order={3}>{t(report.is_valid ? 'system.consistent' : 'system.inconsistent')}</Title>
        <Text c="dimmed">
          {report.is_valid ? t('system.soundText', { checks, count }) : t('system.unsoundText', { broken, checks })}
        </Text>
      </div>
      <ul className={classes['checks']}>
        {report.checks.map((check) => (
          <Finding key={check.title} check={check} />
        ))}
      </ul>
    </Stack>
  );
}

function Finding({ check }: { readonly check: LedgerCheck }) {
  const { t } = useText();
  const isMet = check.violations.length === 0;
  return (
    <li>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <span
          className={classes[isMet ? 'good' : 'warning']}
          role="img"
          aria-label={t(isMet ? 'system.checkPassed' : 'system.checkFailed')}
        >
          {isMet ? <CheckIcon size={16} /> : <WarningIcon size={16} />}
        </span>
        <div>
          <Text>
            {sentenceOf(check, t)}{' '}
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

/** A rule without a text here appears in the gateway's own words. */
function sentenceOf({ title }: LedgerCheck, t: Translate): string {
  const key = sentences[title];
  return key ? t(key) : title;
}
