import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import type { NewReset } from '../../api/wire.ts';
import { Form } from '../../components/form.tsx';
import { PasswordField, usePasswordForm } from '../../components/password-field.tsx';
import { CardHead, UsedLink, useLink } from '../sign-in/card.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';
import { SecondStep } from '../sign-in/second-step.tsx';

interface ResetPreview {
  readonly email: string;
  readonly name: string;
  readonly resets: NewReset['resets'];
}

/** The target of a reset link. The user replaces the lost credentials and is signed in. */
export default function ResetPage() {
  const { user } = useSite();
  const { token, path, data, error, notice } = useLink<ResetPreview>('resets');
  const [isSecond, setSecond] = useState(false);
  const resetSubmit = useSignInStep<{ password: string }>(path);
  if (user && (resetSubmit.isSuccess || !token || error)) return <RedirectToNext />;
  if (!data) return notice;
  if (isSecond) return <SecondStep onBack={() => setSecond(false)} />;
  return (
    <NewPassword
      reset={data}
      isBusy={resetSubmit.isPending}
      error={resetSubmit.error}
      onPassword={(password) =>
        resetSubmit.mutate({ password }, { onSuccess: ({ next }) => setSecond(next === 'two-factor') })
      }
    />
  );
}

interface NewPasswordProps {
  readonly reset: ResetPreview;
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  readonly onPassword: (password: string) => void;
}

function NewPassword({ reset, isBusy, error, onPassword }: NewPasswordProps) {
  const { t } = useText();
  const isNew = reset.resets !== 'second-factor';
  const form = usePasswordForm(isNew);
  return (
    <Form onSubmit={form.onSubmit(({ password }) => onPassword(password))}>
      <Stack gap="md">
        <CardHead
          title={t('signIn.resetTitle', { name: reset.name })}
          text={t(isNew ? 'signIn.resetPasswordText' : 'signIn.resetSecondText')}
        />
        <UsedLink error={error} />
        <PasswordField
          label={t(isNew ? 'signIn.newPassword' : 'signIn.password')}
          isNew={isNew}
          email={reset.email}
          autoFocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" mt="xs" loading={isBusy} fullWidth>
          {t(isNew ? 'signIn.resetDo' : 'signIn.resetSecondDo')}
        </Button>
      </Stack>
    </Form>
  );
}
