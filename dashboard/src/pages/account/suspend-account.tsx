import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { Account } from '../../api/wire.ts';
import { accountName } from '../../components/names.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useText } from '../../text/text.tsx';

export interface SuspendAccountProps {
  readonly account: Account;
  readonly path: string;
  readonly onClose: () => void;
}

/** Suspends an account and, if chosen, terminates its running requests. */
export function SuspendAccount({ account, path, onClose }: SuspendAccountProps) {
  const { t } = useText();
  const [areStreamsTerminated, setAreStreamsTerminated] = useState(false);
  const name = accountName(account);
  const suspend = useWrite<Account, { readonly areStreamsTerminated: boolean }>({
    path: (choice) => `${path}/${choice.areStreamsTerminated ? 'terminate' : 'suspend'}`,
    send: () => undefined,
    changes: ['/admin/v1/accounts'],
    successMessage: () => t('accounts.suspendedNow', { name }),
  });
  return (
    <ConfirmDialog
      isOpen
      title={t('accounts.suspendTitle', { name })}
      text={
        <Stack gap="md">
          <Text>{t('accounts.suspendText')}</Text>
          <Checkbox
            label={t('keys.terminate')}
            description={t('accounts.terminateHelp')}
            checked={areStreamsTerminated}
            onChange={({ currentTarget }) => setAreStreamsTerminated(currentTarget.checked)}
          />
        </Stack>
      }
      action={t('accounts.suspend')}
      isBusy={suspend.isPending}
      error={suspend.error}
      onConfirm={() => suspend.mutate({ areStreamsTerminated }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
