import { Button, Group, Stack, Text } from '@mantine/core';
import { useWrite } from '../../api/write.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useText } from '../../text/text.tsx';
import { PasswordForm } from './password-form.tsx';

/** Backup codes, each for one sign-in. */
export function BackupCodes({ codes }: { readonly codes: readonly string[] }) {
  const { t } = useText();
  return (
    <Stack gap={4}>
      <Text fz="sm" fw={500}>
        {t('settings.totpCodes')}
      </Text>
      <Text fz="xs" c="dimmed">
        {t('settings.totpCodesText')}
      </Text>
      <CodeBlock snippets={[{ name: t('settings.totpCodes'), code: codes.join('\n') }]} />
    </Stack>
  );
}

/** Replaces the backup codes. The old ones no longer work, so the dialog does not close by accident. */
export function RenewedCodes({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const renew = useWrite<{ backup_codes: readonly string[] }, { password: string }>({
    path: '/auth/totp/backup-codes',
  });
  return (
    <Dialog title={t('settings.newBackupCodes')} isHeld={renew.isPending || renew.data !== undefined} onClose={onClose}>
      {renew.data ? (
        <Stack gap="lg">
          <BackupCodes codes={renew.data.backup_codes} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('common.done')}</Button>
          </Group>
        </Stack>
      ) : (
        <PasswordForm
          text={t('settings.totpRenewText')}
          action={t('settings.totpRenewDo')}
          isBusy={renew.isPending}
          error={renew.error}
          onPassword={(password) => renew.mutate({ password })}
        />
      )}
    </Dialog>
  );
}
