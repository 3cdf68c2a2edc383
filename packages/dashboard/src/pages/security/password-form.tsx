import { Button, Stack, Text } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import { DialogFooter } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordField, usePasswordForm } from '../../components/password-field.tsx';
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
  const form = usePasswordForm();
  return (
    <Form onSubmit={form.onSubmit(({ password }) => props.onPassword(password))}>
      <Stack gap="md">
        {props.text && <Text>{props.text}</Text>}
        <ErrorNotice error={props.error} labels={{ password: t('settings.totpPassword') }} />
        <PasswordField label={t('settings.totpPassword')} data-autofocus {...form.getInputProps('password')} />
        <DialogFooter>
          <Button type="submit" loading={props.isBusy} color={props.isDangerous ? 'red.8' : undefined}>
            {props.action}
          </Button>
        </DialogFooter>
      </Stack>
    </Form>
  );
}
