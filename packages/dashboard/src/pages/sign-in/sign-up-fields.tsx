import { TextInput } from '@mantine/core';
import { emailProblem, passwordProblem } from '../../components/input-problems.ts';
import { PasswordField } from '../../components/password-field.tsx';
import type { FieldLabels } from '../../text/error-text.ts';
import { type Translate, useText } from '../../text/text.tsx';

/** The form values of a new user. */
export const emptySignUp = { name: '', password: '' };

/** The labels of these fields. */
export function signUpLabels(t: Translate): FieldLabels {
  return { email: t('signIn.email'), name: t('signIn.yourName'), password: t('signIn.newPassword') };
}

/** Checks the form of a new user before the gateway does. */
export function signUpProblems(t: Translate) {
  return {
    email: (email: string) => emailProblem(email, t),
    name: (name: string) => (name.trim() === '' ? t('common.required') : null),
    password: (password: string) => passwordProblem(password, t, true),
  };
}

interface InputProps {
  readonly value?: string;
}

/** Name and password of a new user. */
export function SignUpFields({ inputProps }: { readonly inputProps: (field: 'name' | 'password') => InputProps }) {
  const { t } = useText();
  return (
    <>
      <TextInput
        label={t('signIn.yourName')}
        required
        withAsterisk={false}
        maxLength={100}
        autoComplete="name"
        {...inputProps('name')}
      />
      <PasswordField label={t('signIn.newPassword')} isNew {...inputProps('password')} />
    </>
  );
}
