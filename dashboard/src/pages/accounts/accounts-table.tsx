import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Account } from '../../api/wire.ts';
import type { Pages } from '../../api/queries.ts';
import { AccountState } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { AccountsIcon, SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';

export interface AccountsTableProps {
  readonly pages: Pages<Account>;
  readonly isFiltered: boolean;
  readonly addButton: ReactNode;
}

export function AccountsTable({ pages, isFiltered, addButton }: AccountsTableProps) {
  const { t } = useText();
  const columns: readonly Column<Account>[] = [
    { key: 'name', header: t('common.name'), cell: (account) => <NameCell account={account} /> },
    {
      key: 'status',
      header: t('accounts.status'),
      cell: ({ status }) => <AccountState status={status} />,
    },
    { key: 'package', header: t('accounts.package'), cell: (account) => account.package },
    { key: 'keys', header: t('accounts.keys'), align: 'right', cell: ({ keys }) => keys, wideOnly: true },
    {
      key: 'used',
      header: t('accounts.lastUsed'),
      align: 'right',
      cell: ({ last_used_at: at }) => <When at={at} />,
    },
    {
      key: 'balance',
      header: t('accounts.balance'),
      align: 'right',
      cell: ({ balance }) => <Money amount={balance} />,
    },
  ];
  return (
    <DataTable
      label={t('nav.accounts')}
      columns={columns}
      pages={pages}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/app/operator/accounts/${encodeURIComponent(id)}`}
      empty={
        isFiltered ? (
          <EmptyState icon={<SearchIcon />} title={t('accounts.nothingFound')} text={t('accounts.nothingFoundText')} />
        ) : (
          <EmptyState
            icon={<AccountsIcon />}
            title={t('accounts.emptyTitle')}
            text={t('accounts.emptyText')}
            action={addButton}
          />
        )
      }
    />
  );
}

/** The display name, and below it the name that commands use, if they differ. */
function NameCell({ account }: { readonly account: Account }) {
  if (account.display_name === null) return account.name;
  return (
    <>
      {account.display_name}
      <Text fz="sm" c="dimmed">
        {account.name}
      </Text>
    </>
  );
}
