import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { CreatedReset, NewReset } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useText } from '../../text/text.tsx';

interface ResetDialogProps {
  readonly name: string;
  /** The API path that creates the link. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Creates a reset link, which is shown once. */
export function ResetDialog({ name, path, onClose }: ResetDialogProps) {
  const { t } = useText();
  const [resets, setResets] = useState<NewReset['resets']>('password');
  const make = useWrite<CreatedReset, NewReset>({ path, changes: ['/admin/v1/links'] });
  const { data: made } = make;
  return (
    <SecretDialog
      title={t('people.resetTitle', { name })}
      isBusy={make.isPending}
      secret={
        made && {
          label: t('people.resetLink', { email: made.email }),
          value: new URL(made.link, location.origin).href,
          note: made.mailed && <Text>{t('alerts.mailed', { email: made.email })}</Text>,
        }
      }
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate({ resets });
        }}
      >
        <Stack gap="md">
          <Text>{t('people.resetText')}</Text>
          <ErrorNotice error={make.error} />
          <Radio.Group label={t('people.resetWhat')} value={resets} onChange={(value) => setResets(value)}>
            <Stack gap="xs" mt={4}>
              {resetChoices.map(({ resets: value, name: label, text }) => (
                <Radio key={value} value={value} label={t(label)} description={t(text)} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button type="submit" loading={make.isPending}>
              {t('people.resetMake')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SecretDialog>
  );
}

/** The credentials that a user may have lost, and the effect of a reset. */
export const resetChoices = [
  { resets: 'password', name: 'people.resetPassword', text: 'people.resetPasswordText' },
  { resets: 'second-factor', name: 'people.resetTwoFactor', text: 'people.resetTwoFactorText' },
  { resets: 'both', name: 'people.resetBoth', text: 'people.resetBothText' },
] as const;
