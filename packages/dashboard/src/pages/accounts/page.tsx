import type { ReactNode } from 'react';
import { useMayOperate } from '../../api/session.ts';
import type { Account } from '../../api/wire.ts';
import { useEntryNames, usePages } from '../../api/queries.ts';
import { AccountState, NamedCell } from '../../components/cells.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, type ColumnOrder, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { AddButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { When } from '../../components/when.tsx';
import { AccountsIcon, SearchIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { useAccountSelection } from './account-selection.ts';
import { NewAccountDialog } from './new-account-dialog.tsx';
import { texts } from './texts.ts';

const filterNames = ['q', 'status', 'package'] as const;

/** All accounts, filtered by name, state and package, in the chosen order. */
export default function AccountsPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [{ add, ...query }, change] = useFilters([...filterNames, 'sort', 'add']);
  const pages = usePages<Account>('/admin/v1/accounts', query);
  const packageNames = useEntryNames('packages') ?? [];
  const view = useTableView('accounts');
  const selection = useAccountSelection(mayOperate);
  const columns = useColumns(query.sort, (sort) => change({ sort }));
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{t('accounts.add')}</AddButton>
  );
  const isFiltered = filterNames.some((name) => query[name] !== undefined);
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.accounts')}
        description={t('accounts.description')}
        actions={(isFiltered || pages.rows?.length !== 0) && addButton}
      />
      <AccountFilters packageNames={packageNames} tools={<ViewMenu view={view} columns={columns} />} />
      <DataTable
        label={t('nav.accounts')}
        columns={columns}
        view={view}
        selection={selection}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/app/operator/accounts/${encodeURIComponent(id)}`}
        empty={<NoAccounts isFiltered={isFiltered} addButton={addButton} />}
      />
      {add && mayOperate && <NewAccountDialog packageNames={packageNames} onClose={() => change({ add: undefined })} />}
    </>
  );
}

interface AccountFiltersProps {
  readonly packageNames: readonly string[];
  readonly tools: ReactNode;
}

function AccountFilters({ packageNames, tools }: AccountFiltersProps) {
  const { t } = useText();
  const p = usePageText(texts);
  return (
    <FilterBar
      tools={tools}
      fields={[
        { name: 'q', label: t('accounts.searchName'), width: 240, isSearch: true },
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
          isPhoneOnly: true,
          options: [
            { value: 'name', label: t('accounts.sortName') },
            { value: 'spend', label: p('sortSpend') },
            { value: 'lowest_spend', label: p('sortLowestSpend') },
            { value: 'balance', label: t('accounts.sortBalance') },
            { value: 'lowest_balance', label: p('sortLowestBalance') },
            { value: 'last_used', label: t('accounts.sortUsed') },
          ],
        },
      ]}
    />
  );
}

/** The orders of a column: the first click, then the second one. */
const orders: Readonly<Record<string, readonly [first: string, second?: string]>> = {
  name: ['name'],
  used: ['last_used'],
  spend: ['spend', 'lowest_spend'],
  balance: ['balance', 'lowest_balance'],
};

function columnOrder(key: string, sort: string, choose: (sort: string | undefined) => void): ColumnOrder | undefined {
  const [first, second = first] = orders[key] ?? [];
  if (first === undefined) return undefined;
  const isAscending = sort === (first === 'name' ? first : second) && (first === 'name' || second !== first);
  const now = isAscending ? 'ascending' : sort === first ? 'descending' : undefined;
  const next = sort === first ? second : first;
  return { now, choose: () => choose(next === 'name' ? undefined : next) };
}

function useColumns(sort = 'name', choose: (sort: string | undefined) => void): readonly Column<Account>[] {
  const { t } = useText();
  const p = usePageText(texts);
  const columns: readonly Column<Account>[] = [
    { key: 'name', header: t('common.name'), phone: 'lead', cell: (account) => <NameCell account={account} /> },
    {
      key: 'status',
      header: t('accounts.status'),
      phone: 'state',
      cell: ({ status }) => <AccountState status={status} />,
    },
    {
      key: 'package',
      header: t('accounts.package'),
      choice: 'shown',
      dropOrder: 2,
      cell: (account) => account.package,
    },
    {
      key: 'keys',
      header: t('accounts.keys'),
      align: 'right',
      choice: 'shown',
      dropOrder: 3,
      cell: ({ keys }) => keys,
    },
    {
      key: 'used',
      header: t('accounts.lastUsed'),
      align: 'right',
      choice: 'shown',
      dropOrder: 1,
      phone: 'note',
      cell: ({ last_used_at: at }) => <When at={at} />,
    },
    {
      key: 'created',
      header: t('accounts.created'),
      align: 'right',
      choice: 'hidden',
      dropOrder: 4,
      cell: ({ created_at: at }) => <When at={at} as="date" />,
    },
    {
      key: 'spend',
      header: p('spend'),
      align: 'right',
      choice: 'shown',
      phone: 'end',
      cell: ({ recent_spend: spend }) => <Money amount={spend} />,
    },
    {
      key: 'balance',
      header: t('accounts.balance'),
      align: 'right',
      phone: 'trail',
      cell: ({ balance }) => <Money amount={balance} />,
    },
  ];
  return columns.map((column) => ({ ...column, order: columnOrder(column.key, sort, choose) }));
}

function NoAccounts({ isFiltered, addButton }: { readonly isFiltered: boolean; readonly addButton: ReactNode }) {
  const { t } = useText();
  const terminal = usePageText(tableTexts)('terminal');
  return isFiltered ? (
    <EmptyState
      icon={<SearchIcon />}
      title={t('accounts.nothingFound')}
      text={t('accounts.nothingFoundText')}
      action={<ClearFilters names={filterNames} />}
    />
  ) : (
    <EmptyState
      icon={<AccountsIcon />}
      title={t('accounts.emptyTitle')}
      text={t('accounts.emptyText')}
      action={addButton}
      code={<CodeBlock snippets={[{ name: terminal, code: 'chat-gateway accounts create acme --credit 25' }]} />}
    />
  );
}

/** The display name, then the name that commands use, if they differ. */
function NameCell({ account }: { readonly account: Account }) {
  const { name, display_name: shown } = account;
  return <NamedCell name={shown ?? name} more={shown === null ? undefined : name} />;
}
