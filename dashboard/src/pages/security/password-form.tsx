import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { submitWith } from '../../components/submit-with.ts';
import { useText } from '../../text/text.tsx';

interface PasswordFormProps {
  readonly text?: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  readonly onPassword: (password: string) => void;
}

/** Asks for the password again before a sensitive action. */
export function PasswordForm(props: PasswordFormProps) {
  const { t } = useText();
  const [password, setPassword] = useState('');
  return (
    <form onSubmit={submitWith(() => props.onPassword(password))}>
      <Stack gap="md">
        {props.text && <Text>{props.text}</Text>}
        <ErrorNotice error={props.error} labels={{ password: t('settings.totpPassword') }} />
        <PasswordField
          label={t('settings.totpPassword')}
          data-autofocus
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={props.isBusy} color={props.isDangerous ? 'red.8' : undefined}>
            {props.action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
