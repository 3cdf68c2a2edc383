import { Alert, Badge, Button, Group, Skeleton, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { deviceName } from '../../components/names.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Form } from '../../components/form.tsx';
import { passwordProblem } from '../../components/input-problems.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { ItemList } from './item-list.tsx';
import { PasskeysCard } from './passkeys-card.tsx';

export default function SecurityPage() {
  const { t } = useText();
  return (
    <>
      <PageHeader title={t('nav.security')} description={t('settings.securityText')} />
      <Stack gap="lg" maw={760}>
        <PasswordCard />
        <AuthenticatorCard />
        <PasskeysCard />
        <SessionsCard />
      </Stack>
    </>
  );
}

function PasswordCard() {
  const { t } = useText();
  const { user } = useSession();
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (password) => passwordProblem(password, t),
      next: (password) => passwordProblem(password, t, true),
    },
  });
  const change = useWrite<unknown, typeof form.values>({
    path: '/auth/password',
    changes: ['/auth/sessions'],
    successMessage: () => t('settings.changed'),
  });
  // A password change ends the session. If the response was lost, session and old password may be gone.
  const [mayBeChanged, setMayBeChanged] = useState(false);
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => {
        setMayBeChanged(false);
        form.reset();
      },
      onError: (error) => setMayBeChanged((before) => before || !error.isAnswer),
    }),
  );
  return (
    <SectionCard title={t('settings.passwordTitle')} text={t('settings.passwordText')}>
      <Form onSubmit={submit}>
        <Stack gap="md" maw={360}>
          <ErrorNotice error={change.error} labels={{ current: t('settings.current'), next: t('settings.next') }} />
          {mayBeChanged && <Alert color="yellow">{t('settings.mayBeChanged')}</Alert>}
          <PasswordField label={t('settings.current')} email={user.email} {...form.getInputProps('current')} />
          <PasswordField label={t('settings.next')} isNew {...form.getInputProps('next')} />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              {t('settings.change')}
            </Button>
          </Group>
        </Stack>
      </Form>
    </SectionCard>
  );
}

interface OpenSession {
  readonly id: string;
  readonly current: boolean;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly address: string | null;
  readonly user_agent: string | null;
}

function SessionsCard() {
  const { t } = useText();
  const sessions = useRead<{ data: readonly OpenSession[] }>('/auth/sessions');
  const end = useWrite<unknown, string>({
    method: 'DELETE',
    path: (id) => `/auth/sessions/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/auth/sessions'],
    successMessage: () => t('settings.ended'),
  });
  const endOthers = useWrite({
    path: '/auth/sessions/end-others',
    changes: ['/auth/sessions'],
    successMessage: () => t('settings.ended'),
  });
  const hasOthers = sessions.data?.data.some(({ current }) => !current) ?? false;
  return (
    <SectionCard
      title={t('settings.sessionsTitle')}
      text={t('settings.sessionsText')}
      action={
        hasOthers && (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('settings.endOthers')}
          </Button>
        )
      }
    >
      <ErrorNotice error={sessions.error ?? end.error ?? endOthers.error} onRetry={() => void sessions.refetch()} />
      {sessions.isPending && <Skeleton height={48} />}
      <ItemList
        items={(sessions.data?.data ?? []).map((session) => ({
          id: session.id,
          name: (
            <>
              {deviceName(session.user_agent) ?? t('settings.unknownDevice')}
              {session.current && <Badge>{t('settings.thisSession')}</Badge>}
            </>
          ),
          note: (
            <>
              {session.address && `${session.address} · `}
              {t('settings.lastUsed')} <When at={session.last_used_at} />
            </>
          ),
          action: !session.current && (
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => end.mutate(session.id)}>
              {t('settings.end')}
            </Button>
          ),
        }))}
      />
    </SectionCard>
  );
}
