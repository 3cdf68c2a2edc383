import { useState } from 'react';
import { useWrite } from '../../api/write.ts';
import type { DeletedBodies, Key } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifySuccess } from '../../text/notify.ts';
import { useText } from '../../text/text.tsx';
import type { KeyScope } from './key-scope.ts';

export interface DeleteKeyBodiesProps {
  readonly scope: KeyScope;
  /** Undefined while the dialog is closed. */
  readonly keyOfBodies: Key | undefined;
  readonly onClose: () => void;
}

/**
 * Deletes all stored bodies of a key. The gateway deletes a limited number per call, so this repeats until none is
 * left.
 */
export function DeleteKeyBodies({ scope, keyOfBodies, onClose }: DeleteKeyBodiesProps) {
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
