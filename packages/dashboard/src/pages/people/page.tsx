import { Badge, Menu, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useMayOperate, useSession } from '../../api/session.ts';
import type { Person } from '../../api/wire.ts';
import { PersonCell } from '../../components/cells.tsx';
import { Clip } from '../../components/clip.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { RenameDialog } from '../../components/rename-dialog.tsx';
import { operatorRoleName, roleName } from '../../components/roles.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { useTableView } from '../../components/table-view.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { PeopleFrame } from './people-frame.tsx';
import { ResetDialog } from './reset-dialog.tsx';

/** All users who may sign in, searchable by name or e-mail address, with a reset for those who cannot. */
export default function PeoplePage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const { user } = useSession();
  const [query] = useFilters(['q']);
  const pages = usePages<Person>('/admin/v1/people', query);
  const [toReset, setToReset] = useState<Person>();
  const [renamed, setRenamed] = useState<Person>();
  const view = useTableView('people');
  const columns: readonly Column<Person>[] = [
    { key: 'person', header: t('people.user'), phone: 'lead', cell: (person) => <PersonCell {...person} /> },
    { key: 'accounts', header: t('people.accounts'), phone: 'note', cell: (person) => <Accounts person={person} /> },
    {
      key: 'operator',
      header: t('people.tabOperators'),
      phone: 'trail',
      cell: ({ operator }) => operator && <Badge color="gray">{t(operatorRoleName(operator))}</Badge>,
    },
    {
      key: 'second',
      header: t('people.twoFactor'),
      choice: 'shown',
      dropOrder: 1,
      cell: ({ two_factor }) => t(two_factor ? 'people.on' : 'people.off'),
    },
    {
      key: 'menu',
      header: t('common.actions'),
      align: 'right',
      phone: 'menu',
      cell: (person) =>
        mayOperate &&
        person.id !== user.id && (
          <RowMenu label={t('people.menu', { name: person.name })}>
            <Menu.Item onClick={() => setRenamed(person)}>{t('common.rename')}</Menu.Item>
            <Menu.Item onClick={() => setToReset(person)}>{t('people.resetAction')}</Menu.Item>
          </RowMenu>
        ),
    },
  ];
  return (
    <PeopleFrame path="/app/operator/people" text="people.text">
      <FilterBar
        fields={[{ name: 'q', label: t('people.search'), width: 260, isSearch: true }]}
        tools={<ViewMenu view={view} columns={columns} />}
      />
      <DataTable
        label={t('nav.people')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<SearchIcon />}
            title={t('people.emptyTitle')}
            text={t('people.emptyText')}
            action={<ClearFilters names={['q']} />}
          />
        }
      />
      {renamed && (
        <RenameDialog
          title={t('people.renameTitle', { name: renamed.name })}
          name={renamed.name}
          renamed={{ entry: renamed, nameOf: ({ name }) => name }}
          path={`/admin/v1/people/${encodeURIComponent(renamed.id)}`}
          send={(name) => ({ name })}
          changes={['/admin/v1/people']}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {toReset && (
        <ResetDialog
          name={toReset.name}
          path={`/admin/v1/people/${encodeURIComponent(toReset.id)}/reset`}
          onClose={() => setToReset(undefined)}
        />
      )}
    </PeopleFrame>
  );
}

function Accounts({ person }: { readonly person: Person }) {
  const { t } = useText();
  if (person.accounts.length === 0) {
    return (
      <Text fz="sm" c="dimmed">
        {t('people.noAccounts')}
      </Text>
    );
  }
  return (
    <Clip>
      {person.accounts.map(({ id, name, role }, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <ViewAnchor inherit to={`/app/operator/accounts/${encodeURIComponent(id)}`} search={{ tab: 'members' }}>
            {name}
          </ViewAnchor>{' '}
          <Text span fz="sm" c="dimmed">
            {t(roleName(role))}
          </Text>
        </Fragment>
      ))}
    </Clip>
  );
}
