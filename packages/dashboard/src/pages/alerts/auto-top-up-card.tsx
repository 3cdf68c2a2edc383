import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import type { AutoTopUp, AutoTopUpSettings } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { amountProblem } from '../../components/input-problems.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { Form } from '../../components/form.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { autoTopUpPath, PauseNotice, SaveCardButton, TopUpState, useAutoTopUpWrite } from '../billing/auto-top-up.tsx';
import { texts } from '../billing/texts.ts';

/** The automatic top-up and its form. Renders nothing if payments are not offered. */
export function AutoTopUpCard({ mayChange }: { readonly mayChange: boolean }) {
  const t = usePageText(texts);
  const { data, error, refetch } = useRead<AutoTopUp>(autoTopUpPath);
  if (data && !data.is_offered) return null;
  return (
    <SectionCard title={t('title')} text={t('text')}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data && (
        <Stack gap="md">
          <PauseNotice top={data}>
            <SaveCardButton label={t('replaceCard')} />
          </PauseNotice>
          {data.settings && <TopUpState top={data} />}
          {data.card ? <SettingsForm top={data} mayChange={mayChange} /> : <NoCard mayChange={mayChange} />}
        </Stack>
      )}
    </SectionCard>
  );
}

function NoCard({ mayChange }: { readonly mayChange: boolean }) {
  const t = usePageText(texts);
  return (
    <Group gap="md">
      <Text fz="sm">{t(mayChange ? 'needsCard' : 'noCard')}</Text>
      {mayChange && <SaveCardButton label={t('save')} />}
    </Group>
  );
}

const fields = ['threshold', 'amount', 'monthly_max'] as const;
const labels = { threshold: 'threshold', amount: 'amount', monthly_max: 'monthlyMax' } as const;

function SettingsForm({ top, mayChange }: { readonly top: AutoTopUp; readonly mayChange: boolean }) {
  const t = usePageText(texts);
  const { t: common } = useText();
  const format = useFormat();
  const { settings, currency } = top;
  const [typed, setTyped] = useState<Partial<AutoTopUpSettings>>({});
  const save = useAutoTopUpWrite(() => common('common.saved'));
  const values = { threshold: '', amount: '', monthly_max: '', ...settings, ...typed };
  const problemOf = (name: (typeof fields)[number]) => {
    const value = values[name].trim();
    // A threshold of 0 waits until the balance is overdrawn, which never happens.
    return value === '' ? null : amountProblem(value, false, common);
  };
  const isComplete = fields.every((name) => values[name].trim() !== '' && problemOf(name) === null);
  const limits = { least: format.money(top.amount_min, currency), most: format.money(top.amount_max, currency) };
  const help = { threshold: undefined, amount: t('amountLimits', limits), monthly_max: t('monthlyHelp') };
  const submit = () => {
    const { threshold, amount, monthly_max } = values;
    const body = { threshold: threshold.trim(), amount: amount.trim(), monthly_max: monthly_max.trim() };
    if (isComplete) save.mutate(body, { onSuccess: () => setTyped({}) });
  };
  return (
    <Form onSubmit={() => submit()}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" maw={760}>
          {fields.map((name) => (
            <TextInput
              key={name}
              label={t(labels[name])}
              description={help[name]}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              inputMode="decimal"
              autoComplete="off"
              rightSection={currency}
              rightSectionWidth={56}
              value={values[name]}
              disabled={!mayChange}
              error={problemOf(name)}
              onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
            />
          ))}
        </SimpleGrid>
        <ErrorNotice
          error={save.error}
          labels={{ threshold: t('threshold'), amount: t('amount'), monthly_max: t('monthlyMax') }}
        />
        {mayChange ? (
          <Group gap="xs">
            <Button type="submit" variant="default" loading={save.isPending} disabled={!isComplete}>
              {settings ? common('common.save') : t('turnOn')}
            </Button>
            {settings && <TurnOff />}
          </Group>
        ) : (
          <Text fz="sm" c="dimmed">
            {t('ownersOnly')}
          </Text>
        )}
      </Stack>
    </Form>
  );
}

function TurnOff() {
  const t = usePageText(texts);
  const [isAsking, setAsking] = useState(false);
  const turnOff = useWrite<AutoTopUp>({
    method: 'DELETE',
    path: autoTopUpPath,
    changes: [autoTopUpPath],
    successMessage: () => t('turnedOff'),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('turnOff')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={t('turnOffTitle')}
        text={t('turnOffText')}
        action={t('turnOff')}
        isDangerous={false}
        write={turnOff}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
