import { Checkbox, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Key } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';

export interface RevokeKeyProps {
  readonly scope: KeyScope;
  /** Undefined while the dialog is closed. */
  readonly keyToRevoke: Key | undefined;
  readonly onClose: () => void;
}

/** Revokes a key and, if chosen, terminates its running requests. */
export function RevokeKey({ scope, keyToRevoke, onClose }: RevokeKeyProps) {
  const { t } = useText();
  const [areStreamsTerminated, setAreStreamsTerminated] = useState(false);
  const { mutate, reset, isPending, error } = useWrite<
    Key,
    { readonly id: string; readonly areStreamsTerminated: boolean }
  >({
    path: (choice) => `${scope.path}/${choice.id}/${choice.areStreamsTerminated ? 'terminate' : 'revoke'}`,
    send: () => undefined,
    changes: [scope.path],
    successMessage: () => t('keys.revokedNotice', { name }),
  });
  const id = keyToRevoke?.id;
  const name = keyToRevoke?.name ?? '';
  useEffect(() => {
    setAreStreamsTerminated(false);
    reset();
  }, [id, reset]);
  return (
    <ConfirmDialog
      isOpen={keyToRevoke !== undefined}
      title={t('keys.revokeTitle', { name })}
      text={
        <Stack gap="md">
          <Text>{t('keys.revokeText')}</Text>
          <Checkbox
            label={t('keys.terminate')}
            description={t('keys.terminateHelp')}
            checked={areStreamsTerminated}
            onChange={({ currentTarget }) => setAreStreamsTerminated(currentTarget.checked)}
          />
        </Stack>
      }
      action={t('keys.revoke')}
      isBusy={isPending}
      error={error}
      onConfirm={() => id !== undefined && mutate({ id, areStreamsTerminated }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
