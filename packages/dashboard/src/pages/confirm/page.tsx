import { Button, Stack } from '@mantine/core';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField, usePasswordForm } from '../../components/password-field.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead, useLink } from '../sign-in/card.tsx';

interface SignUpPreview {
  readonly email: string;
  readonly name: string;
}

/** The target of the link in the sign-up e-mail. Once the user enters the password, the account is created. */
export default function ConfirmPage() {
  const { t } = useText();
  const { user } = useSite();
  const { token, path, data, error, read, notice } = useLink<SignUpPreview>('sign-ups');
  const confirm = useSignInStep<{ password: string }>(path);
  const form = usePasswordForm();
  if (user && (confirm.isSuccess || !token || error)) return <RedirectToNext />;
  if (error?.code === 'sign_in_refused')
    return (
      <Stack gap="md">
        <CardHead title={t('signIn.linkExpired')} text={t('signIn.linkExpiredText')} />
        <ViewAnchor to="/app/sign-in" fz="sm" underline="always">
          {t('signIn.title')}
        </ViewAnchor>
      </Stack>
    );
  if (!data) return notice;
  return (
    <Form
      onSubmit={form.onSubmit((values) =>
        confirm.mutate(values, {
          // A wrong password and a used link return the same error. Reading the link again shows which it was.
          onError: ({ code }) => {
            if (code === 'sign_in_refused') read();
          },
        }),
      )}
    >
      <Stack gap="md">
        <CardHead
          title={t('signIn.confirmTitle', { name: data.name })}
          text={t('signIn.confirmText', { email: data.email })}
        />
        <ErrorNotice error={confirm.error} />
        <PasswordField label={t('signIn.password')} email={data.email} autoFocus {...form.getInputProps('password')} />
        <Button type="submit" size="md" mt="xs" loading={confirm.isPending} fullWidth>
          {t('signIn.confirmDo')}
        </Button>
      </Stack>
    </Form>
  );
}
