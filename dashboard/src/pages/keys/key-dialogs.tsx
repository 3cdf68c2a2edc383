import { Checkbox, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { DeletedBodies, Key } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../text/notify.ts';
import { useText } from '../../text/text.tsx';
import { EditKey } from './edit-key.tsx';
import type { KeyScope } from './key-scope.ts';
import { RotateKey } from './rotate-key.tsx';

/** The open dialog, and its key. */
export interface KeyDialog {
  readonly action: 'edit' | 'rotate' | 'revoke' | 'bodies';
  readonly key: Key;
}

export interface KeyDialogsProps {
  readonly scope: KeyScope;
  readonly dialog: KeyDialog | undefined;
  readonly onClose: () => void;
}

/** The dialogs of a table of keys. At most one is open. */
export function KeyDialogs({ scope, dialog, onClose }: KeyDialogsProps) {
  const keyFor = (action: KeyDialog['action']) => (dialog?.action === action ? dialog.key : undefined);
  const edited = keyFor('edit');
  return (
    <>
      {edited && <EditKey scope={scope} apiKey={edited} onClose={onClose} />}
      <DeleteKeyBodies scope={scope} keyOfBodies={keyFor('bodies')} onClose={onClose} />
      <RotateKey scope={scope} keyToRotate={keyFor('rotate')} onClose={onClose} />
      <RevokeKey scope={scope} keyToRevoke={keyFor('revoke')} onClose={onClose} />
    </>
  );
}

interface RevokeKeyProps {
  readonly scope: KeyScope;
  /** Undefined while the dialog is closed. */
  readonly keyToRevoke: Key | undefined;
  readonly onClose: () => void;
}

/** Revokes a key and, if chosen, terminates its running requests. */
function RevokeKey({ scope, keyToRevoke, onClose }: RevokeKeyProps) {
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

interface DeleteKeyBodiesProps {
  readonly scope: KeyScope;
  /** Undefined while the dialog is closed. */
  readonly keyOfBodies: Key | undefined;
  readonly onClose: () => void;
}

/**
 * Deletes all stored bodies of a key. The gateway deletes a limited number per call, so this repeats until none is
 * left.
 */
function DeleteKeyBodies({ scope, keyOfBodies, onClose }: DeleteKeyBodiesProps) {
  const { t } = useText();
  const [isBusy, setIsBusy] = useState(false);
  const { mutateAsync, error } = useWrite<DeletedBodies, { readonly id: string; readonly round: number }>({
    method: 'DELETE',
    path: ({ id }) => `${scope.path}/${id}/bodies`,
    send: () => undefined,
    changes: ['/account/v1/stored-bodies', '/admin/v1/stored-bodies'],
  });
  const confirm = async () => {
    if (!keyOfBodies) return;
    setIsBusy(true);
    try {
      for (let round = 0; (await mutateAsync({ id: keyOfBodies.id, round })).more; ) round += 1;
      notifySuccess(t('bodies.deleted'));
      onClose();
    } catch {
      // The dialog shows the error of the write.
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <ConfirmDialog
      isOpen={keyOfBodies !== undefined}
      title={t('bodies.deleteKeyTitle', { name: keyOfBodies?.name ?? '' })}
      text={t('bodies.deleteKeyText')}
      action={t('bodies.delete')}
      isBusy={isBusy}
      error={error}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
