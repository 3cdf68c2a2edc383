import { TextInput, type TextInputProps } from '@mantine/core';
import { useText } from '../../text/text.tsx';

/** The e-mail address of the user. Password managers fill it in. */
export function EmailField(props: TextInputProps) {
  const { t } = useText();
  return (
    <TextInput
      label={t('signIn.email')}
      type="email"
      required
      withAsterisk={false}
      autoComplete="username"
      autoFocus
      {...props}
    />
  );
}
