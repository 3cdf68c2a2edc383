import { Button } from '@mantine/core';
import type { Resource } from '../../api/resource.ts';
import { useMayOperate } from '../../api/session.ts';
import type { Account } from '../../api/wire.ts';
import { type Page, usePages, useRead } from '../../api/queries.ts';
import { FilterBar, useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AccountsTable } from './accounts-table.tsx';
import { NewAccountDialog } from './new-account-dialog.tsx';

/** All accounts, filtered by name, state and package, in the chosen order. */
export default function AccountsPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [{ add, ...query }, change] = useFilters(['q', 'status', 'package', 'sort', 'add']);
  const pages = usePages<Account>('/admin/v1/accounts', query);
  const packages = useRead<Page<Resource>>('/admin/v1/packages', { limit: 200 });
  const packageNames = packages.data?.data.map(({ name }) => name) ?? [];
  const addButton = mayOperate && (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => change({ add: '1' }, { as: 'step' })}>
      {t('accounts.add')}
    </Button>
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
