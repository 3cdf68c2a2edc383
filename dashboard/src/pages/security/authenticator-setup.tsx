import { Button, Center, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QrImage } from '../../components/qr-image.tsx';
import { useText } from '../../text/text.tsx';
import { BackupCodes } from './backup-codes.tsx';
import { PasswordForm } from './password-form.tsx';

interface SetupSecret {
  readonly uri: string;
  readonly secret: string;
  readonly backup_codes: readonly string[];
}

/** Asks for the password, shows the secret and the backup codes, and then asks for a code of the app. */
export function AuthenticatorSetup({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const begin = useWrite<SetupSecret, { password: string }>({ path: '/auth/totp/begin' });
  if (begin.data) return <Confirmation setup={begin.data} onDone={onDone} />;
  return (
    <PasswordForm
      text={t('settings.totpText')}
      action={t('common.next')}
      isBusy={begin.isPending}
      error={begin.error}
      onPassword={(password) => begin.mutate({ password })}
    />
  );
}

function Confirmation({ setup, onDone }: { readonly setup: SetupSecret; readonly onDone: () => void }) {
  const { t } = useText();
  const [code, setCode] = useState('');
  const confirm = useWrite<unknown, { code: string }>({
    path: '/auth/totp/confirm',
    changes: ['session'],
    successMessage: () => t('settings.totpConfirmed'),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate({ code }, { onSuccess: onDone });
      }}
    >
      <Stack gap="md">
        <Text>{t('settings.totpScan')}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
          <Center>
            <QrImage text={setup.uri} label={t('settings.totpQr')} />
          </Center>
          <Stack gap="md">
            <CopyField label={t('settings.totpSecret')} value={setup.secret} once isWrapped />
            <TextInput
              label={t('signIn.code')}
              description={t('signIn.codeText')}
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value.replace(/\D/g, ''))}
              inputMode="numeric"
              maxLength={6}
              autoComplete="one-time-code"
            />
          </Stack>
        </SimpleGrid>
        <BackupCodes codes={setup.backup_codes} />
        <ErrorNotice error={confirm.error} labels={{ code: t('signIn.code') }} />
        <Group justify="flex-end">
          <Button type="submit" loading={confirm.isPending} disabled={code.length < 6}>
            {t('settings.totpConfirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
