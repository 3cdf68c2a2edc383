import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { Alerts, AlertsChange } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { amountProblem } from '../accounts/amount-problem.ts';

const path = '/account/v1/alerts';

/** The balance at which the account is told. */
export function LowBalanceCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const read = useRead<Alerts>(path);
  return (
    <SectionCard title={t('alerts.lowTitle')} text={t('alerts.lowText')}>
      <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />
      {read.data && <LowBalanceForm key={read.data.version} alerts={read.data} mayChange={mayChange} />}
    </SectionCard>
  );
}

function LowBalanceForm({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const { t } = useText();
  const [typed, setTyped] = useState(alerts.low_balance ?? '');
  const write = useWrite<Alerts, AlertsChange>({
    method: 'PATCH',
    path,
    changes: [path],
    ifMatch: () => alerts.version,
    told: () => t('common.saved'),
  });
  const amount = typed.trim();
  const problem = amount === '' ? null : amountProblem(amount, false, t);
  const save = () => write.mutate({ low_balance: amount === '' ? null : amount });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) save();
      }}
    >
      <Stack gap="sm">
        <ErrorNotice error={write.error} />
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('alerts.lowLabel')}
            placeholder={t('alerts.lowEmpty')}
            value={typed}
            inputMode="decimal"
            autoComplete="off"
            disabled={!mayChange}
            error={problem}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {mayChange && (
            <Button type="submit" variant="default" loading={write.isPending} disabled={problem !== null}>
              {t('common.save')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
