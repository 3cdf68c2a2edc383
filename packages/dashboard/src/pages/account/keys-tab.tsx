import { Group, Switch } from '@mantine/core';
import { useState } from 'react';
import { useMayOperate } from '../../api/session.ts';
import type { Account, Key } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { useTableView } from '../../components/table-view.ts';
import { AddButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import { type KeyDialog, KeyDialogs } from '../keys/key-dialogs.tsx';
import { operatorScope } from '../keys/key-scope.ts';
import { useKeyColumns } from '../keys/key-columns.tsx';
import { KeyTable, shownKeys } from '../keys/key-table.tsx';
import { CapTimeZone } from '../keys/renewal-clock.tsx';
import { texts } from '../keys/texts.ts';

/** The keys of an account. Operators create, limit and revoke them as the owner does. */
export function KeysTab({ account }: { readonly account: Account }) {
  const { t } = useText();
  const p = usePageText(texts);
  const mayOperate = useMayOperate();
  const scope = operatorScope(account);
  const [isCreating, setIsCreating] = useState(false);
  const [withEnded, setWithEnded] = useState(false);
  const [dialog, setDialog] = useState<KeyDialog>();
  const pages = usePages<Key>('/admin/v1/keys', { account: account.id, order: 'newest' });
  const hasEnded = pages.rows?.some(({ state }) => state !== 'active') ?? false;
  const view = useTableView('account-keys');
  const columns = useKeyColumns({
    scope,
    mayWrite: mayOperate,
    status: account.status,
    onAction: (action, key) => setDialog({ action, key }),
  });
  const create = mayOperate && (
    <AddButton
      obstacle={account.status === 'suspended' ? p('accountSuspended') : undefined}
      onClick={() => setIsCreating(true)}
    >
      {t('keys.create')}
    </AddButton>
  );
  return (
    <>
      <Group justify="space-between" mb="md">
        {hasEnded ? (
          <Switch
            label={t('keys.showEnded')}
            checked={withEnded}
            onChange={({ currentTarget }) => setWithEnded(currentTarget.checked)}
          />
        ) : (
          <span />
        )}
        <Group gap="xs">
          <ViewMenu view={view} columns={columns} />
          {shownKeys(pages, withEnded)?.length !== 0 && create}
        </Group>
      </Group>
      <KeyTable
        scope={scope}
        pages={pages}
        withEnded={withEnded}
        mayWrite={mayOperate}
        view={view}
        columns={columns}
        create={create}
      />
      <CapTimeZone
        account={account}
        path={`/admin/v1/accounts/${encodeURIComponent(account.id)}`}
        mayChange={mayOperate}
      />
      {isCreating && <CreateKey scope={scope} onClose={() => setIsCreating(false)} />}
      <KeyDialogs scope={scope} dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  );
}
