import { Alert, Select } from '@mantine/core';
import { useState } from 'react';
import type { Resource } from '../../api/resource.ts';
import type { Account } from '../../api/wire.ts';
import { type Page, useRead } from '../../api/queries.ts';
import { useReplacing } from '../../api/replacing.ts';
import { ConflictNotice } from '../../components/conflict-notice.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { accountName } from '../../components/names.ts';
import { useText } from '../../text/text.tsx';

export interface PackageChoiceProps {
  readonly account: Account;
  readonly onClose: () => void;
}

/** Gives an account another package, unless the configuration file sets it. */
export function PackageChoice({ account, onClose }: PackageChoiceProps) {
  const { t } = useText();
  const [chosen, setChosen] = useState(account.package);
  const packages = useRead<Page<Resource>>('/admin/v1/packages', { limit: 200 });
  const names = packages.data?.data.map(({ name }) => name) ?? [account.package];
  const isFileOwned = account.source === 'file';
  const path = `/admin/v1/accounts/${encodeURIComponent(account.id)}`;
  const edit = useReplacing<Account, { readonly package: string }>(account, {
    method: 'PATCH',
    path,
    changes: ['/admin/v1/accounts'],
  });
  const comparable = ({ package: name, status }: Account) => ({
    package: name,
    status: t(status === 'active' ? 'accounts.active' : 'accounts.suspended'),
  });
  return (
    <EntryDialog
      isOpen
      title={t('accounts.changePackageTitle', { name: accountName(account) })}
      isReadOnly={isFileOwned}
      isBusy={edit.isPending}
      notice={
        <ConflictNotice<Account>
          error={edit.error}
          path={path}
          subject={{ kind: 'account', id: account.id }}
          mine={comparable({ ...edit.base, package: chosen })}
          theirs={comparable}
          labels={{ package: t('accounts.package'), status: t('accounts.status') }}
          onKeepMine={(current) => edit.saveOver(current, onClose)}
          onTakeTheirs={(current) => {
            edit.adopt(current);
            setChosen(current.package);
          }}
        />
      }
      onSubmit={() => edit.save({ package: chosen }, onClose)}
      onClose={onClose}
    >
      {isFileOwned && <Alert color="gray">{t('accounts.packageOwned')}</Alert>}
      <Select
        label={t('accounts.package')}
        description={t('accounts.changePackageHelp')}
        data={names}
        value={chosen}
        onChange={(value) => value !== null && setChosen(value)}
        allowDeselect={false}
        readOnly={isFileOwned}
        data-autofocus
      />
    </EntryDialog>
  );
}
