import { Button, Group, MultiSelect, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { useRead } from '../../api/queries.ts';
import { useReplacing } from '../../api/replacing.ts';
import type { Alerts, AlertsChange } from '../../api/wire.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { amountProblem } from '../../components/input-problems.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { Form } from '../../components/form.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { autoTopUpPath } from '../billing/auto-top-up.tsx';
import { AutoTopUpCard } from './auto-top-up-card.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { DigestChoice } from './digest-choice.tsx';
import { KeyCapsCard, useCappedKeys } from './key-caps-card.tsx';
import { ownSide } from './side.ts';
import { texts } from './texts.ts';
import { WebhooksCard } from './webhooks-card.tsx';

/** What happens when an account runs low, its spending limits, and the recipients of notices. */
export default function AlertsPage() {
  const { t } = useText();
  const page = usePageText(texts);
  const mayChange = useAccount().role === 'owner';
  const keys = useCappedKeys();
  const reads = [
    useRead(alertsPath),
    useRead(autoTopUpPath),
    { isPending: keys.rows === undefined && keys.error === null },
    useRead(`${ownSide.path}/webhooks`),
  ];
  return (
    <>
      <PageHeader withAge title={t('nav.budgets')} description={page('description')} />
      <AfterReads reads={reads}>
        <Question title={page('runLow')}>
          <LowBalanceCard mayChange={mayChange} />
          <AutoTopUpCard mayChange={mayChange} />
        </Question>
        <Question title={page('limits')}>
          <KeyCapsCard />
        </Question>
        <Question title={page('notices')}>
          <EmailsCard mayChange={mayChange} />
          <WebhooksCard side={ownSide} mayChange={mayChange} />
          <DeliveryLog side={ownSide} mayChange={mayChange} />
        </Question>
      </AfterReads>
    </>
  );
}

/** The settings that answer one question of an owner. */
function Question({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <Title order={2} mt="xl" mb="sm">
        {title}
      </Title>
      <Stack gap="md">{children}</Stack>
    </>
  );
}

/** The balance threshold for an alert. */
function LowBalanceCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const read = useRead<Alerts>(alertsPath);
  return (
    <SectionCard title={t('alerts.lowTitle')} text={t('alerts.lowText')}>
      <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />
      {read.data ? <LowBalanceForm alerts={read.data} mayChange={mayChange} /> : <Skeleton height={60} />}
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
    <Form
      onSubmit={() => {
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
    </Form>
  );
}

/** The recipients of e-mails about the account, and how often it gets a summary. */
function EmailsCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const { data, error, refetch } = useRead<Alerts>(alertsPath);
  return (
    <SectionCard
      title={t('alerts.emailsTitle')}
      text={data && t(data.is_mail_on ? 'alerts.emailsText' : 'alerts.emailsOff')}
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.is_mail_on && <EmailsForm alerts={data} mayChange={mayChange} />}
    </SectionCard>
  );
}

function EmailsForm({ alerts, mayChange }: { readonly alerts: Alerts; readonly mayChange: boolean }) {
  const { t } = useText();
  const { values, isBusy, notice, ...form } = useAlertsForm(alerts, {
    partOf: ({ recipients, digest }) => ({ recipients, digest }),
    labels: { recipients: t('alerts.recipients'), digest: t('alerts.digest') },
  });
  const { digest } = values;
  const recipients = values.recipients ?? [];
  return (
    <Form onSubmit={() => form.save(values)}>
      <Stack gap="md">
        {notice}
        <MultiSelect
          label={t('alerts.recipients')}
          description={t('alerts.recipientsText')}
          placeholder={recipients.length === 0 ? t('alerts.recipientsAll') : ''}
          data={[...alerts.readers]}
          value={[...recipients]}
          disabled={!mayChange}
          onChange={(chosen) => form.change({ recipients: chosen.length === 0 ? null : chosen })}
          maw={560}
        />
        {alerts.readers.length === 0 && (
          <Text fz="sm" c="dimmed">
            {t('alerts.recipientsNone')}
          </Text>
        )}
        <DigestChoice
          value={digest}
          onChange={(chosen) => form.change({ digest: chosen })}
          text={t('alerts.digestText')}
          disabled={!mayChange}
        />
        {mayChange && (
          <Group>
            <Button type="submit" variant="default" loading={isBusy}>
              {t('common.save')}
            </Button>
          </Group>
        )}
      </Stack>
    </Form>
  );
}

const alertsPath = '/account/v1/alerts';

/**
 * A form for one part of the alert settings. Typed input survives a refetch. Each part is saved on its own, so that
 * changes to different parts do not conflict.
 */
function useAlertsForm<Part extends AlertsChange>(alerts: Alerts, options: AlertsFormOptions<Part>) {
  const { partOf, labels } = options;
  const { t } = useText();
  const [typed, setTyped] = useState<Part>();
  const begin = () => setTyped(undefined);
  const edit = useReplacing<Alerts, Part>(alerts, {
    method: 'PATCH',
    path: alertsPath,
    changes: [alertsPath, '/account/v1/account'],
    onSaved: begin,
    fieldsOf: partOf,
    labels,
    lists: { recipients: 'set' },
    valueText: (field, value) => {
      if (field === 'digest') return t(`alerts.digest_${value as Alerts['digest']}`);
      return field === 'recipients' && value === null ? t('alerts.recipientsAll') : undefined;
    },
  });
  const values = typed ?? partOf(alerts);
  return {
    values,
    isBusy: edit.isPending,
    change: (change: Partial<Part>) => {
      if (typed === undefined) edit.adopt(alerts);
      setTyped({ ...values, ...change });
    },
    save: edit.save,
    notice: <ConflictNotice edit={edit} />,
  };
}

interface AlertsFormOptions<Part> {
  readonly partOf: (alerts: Alerts) => Part;
  /** The labels of the form fields. */
  readonly labels: Readonly<Record<string, string>>;
}
