import { TextInput } from '@mantine/core';
import { PasswordField } from '../../components/password-field.tsx';
import type { FieldLabels } from '../../text/error-text.ts';
import { type Translate, useText } from '../../text/text.tsx';

/** The form values of a new user. */
export const emptySignUp = { name: '', password: '' };

/** The labels of these fields. */
export function signUpLabels(t: Translate): FieldLabels {
  return { email: t('signIn.email'), name: t('signIn.yourName'), password: t('signIn.newPassword') };
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
