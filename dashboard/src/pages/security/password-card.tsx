import { Alert, Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { passwordCharsMin } from '../../forms/sign-up-fields.tsx';
import { useText } from '../../text/text.tsx';

export function PasswordCard() {
  const { t } = useText();
  const { user } = useSession();
  const form = useForm({ initialValues: { current: '', next: '' } });
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
      <form onSubmit={submit}>
        <Stack gap="md" maw={360}>
          {/* Password managers look for the user name of the password. */}
          <input type="email" name="email" value={user.email} readOnly hidden autoComplete="username" />
          <ErrorNotice error={change.error} labels={{ current: t('settings.current'), next: t('settings.next') }} />
          {mayBeChanged && <Alert color="yellow">{t('settings.mayBeChanged')}</Alert>}
          <PasswordInput
            label={t('settings.current')}
            required
            withAsterisk={false}
            autoComplete="current-password"
            {...form.getInputProps('current')}
          />
          <PasswordInput
            label={t('settings.next')}
            description={t('signIn.passwordHelp')}
            required
            withAsterisk={false}
            minLength={passwordCharsMin}
            maxLength={256}
            autoComplete="new-password"
            {...form.getInputProps('next')}
          />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              {t('settings.change')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
