import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import type { Alerts } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { amountProblem } from '../../components/input-problems.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { alertsPath, useAlertsForm } from './alerts-form.tsx';

/** The balance threshold for an alert. */
export function LowBalanceCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const read = useRead<Alerts>(alertsPath);
  return (
    <SectionCard title={t('alerts.lowTitle')} text={t('alerts.lowText')}>
      <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />
      {read.data && <LowBalanceForm alerts={read.data} mayChange={mayChange} />}
    </SectionCard>
  );
}

function LowBalanceForm({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const { t } = useText();
  const { values, isBusy, notice, ...form } = useAlertsForm(alerts, {
    partOf: ({ low_balance }) => ({ low_balance }),
    labels: { low_balance: t('alerts.lowLabel') },
  });
  const typed = values.low_balance ?? '';
  const amount = typed.trim();
  const problem = amount === '' ? null : amountProblem(amount, false, t);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) form.save({ low_balance: amount === '' ? null : amount });
      }}
    >
      <Stack gap="sm">
        {notice}
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('alerts.lowLabel')}
            placeholder={t('alerts.lowEmpty')}
            value={typed}
            inputMode="decimal"
            autoComplete="off"
            disabled={!mayChange}
            error={problem}
            onChange={({ currentTarget }) => form.change({ low_balance: currentTarget.value })}
          />
          {mayChange && (
            <Button type="submit" variant="default" loading={isBusy} disabled={problem !== null}>
              {t('common.save')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
