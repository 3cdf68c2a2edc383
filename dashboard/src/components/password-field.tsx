import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useText } from '../text/text.tsx';

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
        {...(isNew && { description: t('signIn.passwordHelp'), minLength: passwordCharsMin })}
        {...props}
      />
    </>
  );
}

/** The gateway rejects shorter passwords. */
const passwordCharsMin = 10;
