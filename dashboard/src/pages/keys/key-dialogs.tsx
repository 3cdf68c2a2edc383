import type { Key } from '../../api/wire.ts';
import { DeleteKeyBodies } from './delete-key-bodies.tsx';
import { EditKey } from './edit-key.tsx';
import type { KeyScope } from './key-scope.ts';
import { RevokeKey } from './revoke-key.tsx';
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
