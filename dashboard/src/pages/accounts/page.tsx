import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMayOperate } from '../../api/session.ts';
import type { Account } from '../../api/wire.ts';
import { type Pages, useEntryNames, usePages } from '../../api/queries.ts';
import { AccountState } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { AccountsIcon, SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { NewAccountDialog } from './new-account-dialog.tsx';

/** All accounts, filtered by name, state and package, in the chosen order. */
export default function AccountsPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [{ add, ...query }, change] = useFilters(['q', 'status', 'package', 'sort', 'add']);
  const pages = usePages<Account>('/admin/v1/accounts', query);
  const packageNames = useEntryNames('packages') ?? [];
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{t('accounts.add')}</AddButton>
  );
  return (
    <>
      <PageHeader withAge title={t('nav.accounts')} description={t('accounts.description')} actions={addButton} />
      <FilterBar
        fields={[
          { name: 'q', label: t('accounts.searchName'), width: 240 },
          {
            name: 'status',
            label: t('accounts.status'),
            options: [
              { value: 'active', label: t('accounts.active') },
              { value: 'suspended', label: t('accounts.suspended') },
            ],
          },
          {
            name: 'package',
            label: t('accounts.package'),
            options: packageNames.map((name) => ({ value: name, label: name })),
          },
          {
            name: 'sort',
            label: t('accounts.sort'),
            width: 210,
            options: [
              { value: 'name', label: t('accounts.sortName') },
              { value: 'balance', label: t('accounts.sortBalance') },
              { value: 'last_used', label: t('accounts.sortUsed') },
            ],
          },
        ]}
      />
      <AccountsTable
        pages={pages}
        isFiltered={Boolean(query.q ?? query.status ?? query.package)}
        addButton={addButton}
      />
      {add && mayOperate && <NewAccountDialog packageNames={packageNames} onClose={() => change({ add: undefined })} />}
    </>
  );
}

interface AccountsTableProps {
  readonly pages: Pages<Account>;
  readonly isFiltered: boolean;
  readonly addButton: ReactNode;
}

function AccountsTable({ pages, isFiltered, addButton }: AccountsTableProps) {
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
