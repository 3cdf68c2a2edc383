import { useState } from 'react';
import type { DeletedBodies, Key } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { TerminateDialog } from '../../components/terminate-dialog.tsx';
import { notifySuccess } from '../../text/notify.ts';
import { useText } from '../../text/text.tsx';
import { RotateKey } from './create-key.tsx';
import { EditKey } from './edit-key.tsx';
import type { KeyScope } from './key-scope.ts';

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
  const { t } = useText();
  if (!dialog) return null;
  const { action, key } = dialog;
  const props = { scope, apiKey: key, onClose };
  if (action === 'edit') return <EditKey {...props} />;
  if (action === 'bodies') return <DeleteKeyBodies {...props} />;
  if (action === 'rotate') return <RotateKey {...props} />;
  return (
    <TerminateDialog
      title={t('keys.revokeTitle', { name: key.name })}
      text={t('keys.revokeText')}
      help={t('keys.terminateHelp')}
      action={t('keys.revoke')}
      path={`${scope.path}/${key.id}`}
      verb="revoke"
      changes={[scope.path]}
      successMessage={t('keys.revokedNotice', { name: key.name })}
      onClose={onClose}
    />
  );
}

/** A dialog about one key. */
interface OneKeyProps {
  readonly scope: KeyScope;
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/**
 * Deletes all stored bodies of a key. The gateway deletes a limited number per call, so this repeats until none is
 * left.
 */
function DeleteKeyBodies({ scope, apiKey, onClose }: OneKeyProps) {
  const { t } = useText();
  const [isPending, setIsPending] = useState(false);
  const { mutateAsync, error } = useWrite<DeletedBodies, number>({
    method: 'DELETE',
    path: `${scope.path}/${apiKey.id}/bodies`,
    send: () => undefined,
    changes: ['/account/v1/stored-bodies', '/admin/v1/stored-bodies'],
  });
  const deleteAll = async () => {
    setIsPending(true);
    try {
      for (let round = 0; (await mutateAsync(round)).more; ) round += 1;
      notifySuccess(t('bodies.deleted'));
      onClose();
    } catch {
      // The dialog shows the error of the write.
    } finally {
      setIsPending(false);
    }
  };
  return (
    <ConfirmDialog
      isOpen
      title={t('bodies.deleteKeyTitle', { name: apiKey.name })}
      text={t('bodies.deleteKeyText')}
      action={t('bodies.delete')}
      write={{ mutate: () => void deleteAll(), isPending, error }}
      onClose={onClose}
    />
  );
}
