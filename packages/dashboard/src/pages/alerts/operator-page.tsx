import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { asPages, useRead } from '../../api/queries.ts';
import { useMayOperate, useSession } from '../../api/session.ts';
import type { Alerts, Mail, MailMessage, MailTest } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { emailProblem } from '../../components/input-problems.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { When } from '../../components/when.tsx';
import { AlertsIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { DigestChoice } from './digest-choice.tsx';
import { operatorSide } from './side.ts';
import { WebhooksCard } from './webhooks-card.tsx';

/** Webhooks and e-mails about the whole gateway. */
export default function OperatorAlertsPage() {
  const { t } = useText();
  const mayChange = useMayOperate();
  const reads = [useRead(`${operatorSide.path}/webhooks`), useRead(path), useRead(digestPath)];
  return (
    <>
      <PageHeader withAge title={t('nav.operatorAlerts')} description={t('alerts.operatorDescription')} />
      <AfterReads reads={reads}>
        <Stack gap="lg">
          <WebhooksCard side={operatorSide} mayChange={mayChange} />
          <MailCard mayChange={mayChange} />
          <DeliveryLog side={operatorSide} mayChange={mayChange} />
        </Stack>
      </AfterReads>
    </>
  );
}

const path = '/admin/v1/mail';
const digestPath = '/auth/digest';
/** Polls often: an operator who sent a test waits for its result. */
const pollMs = 5000;

/** Whether e-mail is configured, a test e-mail, and the last deliveries. */
function MailCard({ mayChange }: { readonly mayChange: boolean }) {
  const { t } = useText();
  const { data, error, refetch } = useRead<Mail>(path, {}, { refetchInterval: pollMs });
  const text = data?.is_on ? t('alerts.mailOn', { host: data.host ?? '', from: data.from ?? '' }) : t('alerts.mailOff');
  return (
    <SectionCard title={t('alerts.mail')} text={data && text}>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data?.is_on && (
        <Stack gap="md">
          <OwnDigest />
          {mayChange && <TestForm />}
          <DataTable
            label={t('alerts.recentEmails')}
            columns={columns(t)}
            pages={asPages({ data: data.emails })}
            rowKey={({ id }) => id}
            empty={
              <EmptyState icon={<AlertsIcon />} title={t('alerts.emailsEmpty')} text={t('alerts.emailsEmptyText')} />
            }
          />
        </Stack>
      )}
    </SectionCard>
  );
}

/**
 * How often the current operator gets a summary of the whole gateway. The setting is personal, so every operator may
 * change it.
 */
function OwnDigest() {
  const { t } = useText();
  const { data, error, refetch } = useRead<OwnDigestReply>(digestPath);
  const write = useWrite<unknown, Pick<OwnDigestReply, 'digest'>>({
    path: digestPath,
    changes: [digestPath],
    successMessage: () => t('common.saved'),
  });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <>
      <ErrorNotice error={write.error} />
      <DigestChoice
        value={data.digest}
        onChange={(digest) => write.mutate({ digest })}
        text={t(data.is_verified ? 'alerts.operatorDigestText' : 'alerts.digestAddressUnconfirmed', {
          email: data.email,
        })}
        disabled={write.isPending || !data.is_verified}
      />
    </>
  );
}

interface OwnDigestReply {
  readonly digest: Alerts['digest'];
  readonly email: string;
  readonly is_verified: boolean;
}

function TestForm() {
  const { t } = useText();
  const { user } = useSession();
  const form = useForm({ initialValues: { to: user.email }, validate: { to: (to) => emailProblem(to, t) } });
  const write = useWrite<unknown, MailTest>({
    path: `${path}/test`,
    changes: [path],
    successMessage: () => t('alerts.mailTested'),
  });
  return (
    <Form onSubmit={form.onSubmit(({ to }) => write.mutate({ to: to.trim() }))}>
      <Stack gap="sm">
        <ErrorNotice error={write.error} labels={{ to: t('alerts.mailTo') }} />
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('alerts.mailTo')}
            type="email"
            required
            withAsterisk={false}
            {...form.getInputProps('to')}
          />
          <Button type="submit" variant="default" loading={write.isPending}>
            {t('alerts.test')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

const colors = { delivered: 'accent', waiting: 'gray', 'given-up': 'red' } as const;
const states = {
  delivered: 'alerts.emailAccepted',
  waiting: 'alerts.waiting',
  'given-up': 'alerts.deliveryFailed',
} as const;

function columns(t: ReturnType<typeof useText>['t']): readonly Column<MailMessage>[] {
  return [
    { key: 'to', header: t('alerts.to'), cell: ({ to }) => to },
    { key: 'when', header: t('alerts.when'), cell: ({ created_at: at }) => <When at={at} /> },
    {
      key: 'result',
      header: t('alerts.result'),
      cell: ({ state, fault, status }) => (
        <div>
          <Badge color={colors[state]}>{t(states[state])}</Badge>
          {fault && (
            <Text fz="sm" c="dimmed">
              {t(`alerts.fault_${fault}`, { status: status ?? 0 })}
            </Text>
          )}
        </div>
      ),
    },
  ];
}
