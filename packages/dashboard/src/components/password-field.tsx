import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useText } from '../text/text.tsx';
import { passwordProblem } from './input-problems.ts';

interface PasswordFieldProps extends PasswordInputProps {
  /** The user chooses it here, and it must follow the rules of the gateway. */
  readonly isNew?: boolean;
  /** The e-mail address of its user, if the form does not ask for it. Password managers look for it. */
  readonly email?: string;
}

/** A required password. Password managers fill it in, or suggest a new one. */
export function PasswordField({ isNew = false, email, ...props }: PasswordFieldProps) {
  const { t } = useText();
  return (
    <>
      {email !== undefined && <input type="email" name="email" value={email} readOnly hidden autoComplete="username" />}
      <PasswordInput
        required
        withAsterisk={false}
        maxLength={256}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        {...(isNew && { description: t('signIn.passwordHelp') })}
        {...props}
      />
    </>
  );
}

/** A form that asks only for a password. */
export function usePasswordForm(isNew = false) {
  const { t } = useText();
  return useForm({
    initialValues: { password: '' },
    validate: { password: (password) => passwordProblem(password, t, isNew) },
  });
}
