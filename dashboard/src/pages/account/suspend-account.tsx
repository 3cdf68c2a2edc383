import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { Account } from '../../api/wire.ts';
import { accountName } from '../../components/account-name.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useText } from '../../text/text.tsx';

export interface SuspendAccountProps {
  readonly account: Account;
  readonly path: string;
  readonly onClose: () => void;
}

/** Refuses an account's keys and, if wished, ends the answers that run. */
export function SuspendAccount({ account, path, onClose }: SuspendAccountProps) {
  const { t } = useText();
  const [isCut, setIsCut] = useState(false);
  const name = accountName(account);
  const suspend = useWrite<Account, { readonly isCut: boolean }>({
    path: (wish) => `${path}/${wish.isCut ? 'cut' : 'suspend'}`,
    send: () => undefined,
    changes: ['/admin/v1/accounts'],
    told: () => t('accounts.suspendedNow', { name }),
  });
  return (
    <ConfirmDialog
      isOpen
      title={t('accounts.suspendTitle', { name })}
      text={
        <Stack gap="md">
          <Text>{t('accounts.suspendText')}</Text>
          <Checkbox
            label={t('keys.cut')}
            description={t('accounts.cutHelp')}
            checked={isCut}
            onChange={({ currentTarget }) => setIsCut(currentTarget.checked)}
          />
        </Stack>
      }
      action={t('accounts.suspend')}
      isBusy={suspend.isPending}
      error={suspend.error}
      onConfirm={() => suspend.mutate({ isCut }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
