import type { Account } from '../../api/wire.ts';
import { RenameDialog } from '../../components/rename-dialog.tsx';
import { useText } from '../../text/text.tsx';

interface AccountRenameProps {
  readonly account: Account;
  /** The API path of the account. Default: the user's own. */
  readonly path?: string;
  readonly onClose: () => void;
}

/** Changes the display name of an account. */
export function AccountRename({ account, path = '/account/v1/account', onClose }: AccountRenameProps) {
  const { t } = useText();
  return (
    <RenameDialog
      title={t('settings.renameAccount')}
      help={t('settings.renameAccountHelp', { name: account.name })}
      name={account.display_name ?? ''}
      mayBeEmpty
      renamed={{ entry: account, nameOf: ({ display_name: shown }) => shown ?? '' }}
      path={path}
      send={(name) => ({ display_name: name === '' ? null : name })}
      changes={['session', '/account/v1/account', '/admin/v1/accounts', '/admin/v1/people']}
      onClose={onClose}
    />
  );
}
