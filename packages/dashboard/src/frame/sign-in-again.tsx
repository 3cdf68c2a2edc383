import { Anchor, Button, Divider, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useSignInStep } from '../api/sign-in-step.ts';
import { searchOf } from '../api/call.ts';
import { useSession } from '../api/session.ts';
import { useFocusReturn } from '../components/dialog.tsx';
import { Form } from '../components/form.tsx';
import { PasswordField, usePasswordForm } from '../components/password-field.tsx';
import { OtherSignInMethods, SignInError } from '../pages/sign-in/other-sign-in-methods.tsx';
import { SecondStep } from '../pages/sign-in/second-step.tsx';
import { useText } from '../text/text.tsx';

/** Asks the user to sign in again over the current page, so that typed text is kept. */
export default function SignInAgain() {
  const { t } = useText();
  const { user } = useSession();
  useFocusReturn(true);
  const [isSecond, setSecond] = useState(false);
  const form = usePasswordForm();
  const signIn = useSignInStep<{ email: string; password: string }>('/auth/sign-in');
  const submit = form.onSubmit(({ password }) =>
    signIn.mutate(
      { email: user.email, password },
      { onSuccess: ({ next }) => next === 'two-factor' && setSecond(true), onError: () => form.reset() },
    ),
  );
  const signInPage = `/app/sign-in${searchOf({ next: location.pathname + location.search })}`;
  return (
    <Modal opened onClose={() => {}} withCloseButton={false} title={t('signIn.sessionEndedTitle')} zIndex={400}>
      {isSecond ? (
        <SecondStep onBack={() => setSecond(false)} />
      ) : (
        <Form onSubmit={submit}>
          <Stack gap="md">
            <Text>{t('signIn.sessionEndedText')}</Text>
            <SignInError error={signIn.error} />
            <PasswordField
              label={t('signIn.sessionEndedPassword', { email: user.email })}
              data-autofocus
              {...form.getInputProps('password')}
            />
            <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
              {t('signIn.submit')}
            </Button>
            <Divider label={t('signIn.or')} />
            <OtherSignInMethods />
            <Anchor href={signInPage} fz="sm" c="dimmed" ta="center">
              {t('signIn.signInElsewhere')}
            </Anchor>
          </Stack>
        </Form>
      )}
    </Modal>
  );
}
