import { useNavigate } from '@tanstack/react-router';
import { usePages } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import type { Organisation } from '../../api/wire.ts';
import { NamedCell } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { OrganisationsIcon, SearchIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { OrganisationDialog } from './organisation-dialog.tsx';
import { texts } from './texts.ts';

/** All organisations, for operators. */
export default function OrganisationsPage() {
  const { t } = useText();
  const p = usePageText(texts);
  const mayOperate = useMayOperate();
  const navigate = useNavigate();
  const [{ add, ...query }, change] = useFilters(['q', 'add']);
  const pages = usePages<Organisation>('/admin/v1/organisations', query);
  const addButton = mayOperate && (
    <AddButton onClick={() => change({ add: '1' }, { as: 'step' })}>{p('add')}</AddButton>
  );
  const columns: readonly Column<Organisation>[] = [
    {
      key: 'name',
      header: t('common.name'),
      phone: 'lead',
      cell: ({ name, display_name: shown }) => (
        <NamedCell name={shown ?? name} more={shown === null ? undefined : name} />
      ),
    },
    { key: 'accounts', header: p('accounts'), align: 'right', cell: ({ accounts }) => accounts },
    {
      key: 'spend',
      header: p('spend'),
      align: 'right',
      phone: 'end',
      cell: ({ recent_spend: spend }) => <Money amount={spend} />,
    },
    {
      key: 'open',
      header: p('open'),
      align: 'right',
      phone: 'trail',
      cell: ({ open_amount: open }) => <Money amount={open} />,
    },
  ];
  const path = (id: string) => `/app/operator/organisations/${encodeURIComponent(id)}`;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.organisations')}
        description={p('description')}
        actions={(query.q !== undefined || pages.rows?.length !== 0) && addButton}
      />
      <FilterBar fields={[{ name: 'q', label: p('search'), width: 240, isSearch: true }]} />
      <DataTable
        label={t('nav.organisations')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => path(id)}
        empty={
          query.q === undefined ? (
            <EmptyState icon={<OrganisationsIcon />} title={p('emptyTitle')} text={p('emptyText')} action={addButton} />
          ) : (
            <EmptyState
              icon={<SearchIcon />}
              title={p('notFound')}
              text={t('accounts.nothingFoundText')}
              action={<ClearFilters names={['q']} />}
            />
          )
        }
      />
      {add && mayOperate && (
        <OrganisationDialog
          onClose={() => change({ add: undefined })}
          onCreated={({ id }) => void navigate({ to: path(id) })}
        />
      )}
    </>
  );
}
