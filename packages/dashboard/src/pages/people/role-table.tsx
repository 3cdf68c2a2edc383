import { Badge, Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { asPages } from '../../api/queries.ts';
import { useReplacing } from '../../api/replacing.ts';
import { useSession } from '../../api/session.ts';
import { PersonCell } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { RadioList } from '../../components/radio-list.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { When } from '../../components/when.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { Removal } from './removal.tsx';
import { ResetDialog } from './reset-dialog.tsx';

/** A member of an account, or an operator. */
interface RoleHolder<Role> {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly since: string;
  readonly version: string;
}

interface RoleTableProps<Role extends string, Person extends RoleHolder<Role> = RoleHolder<Role>> {
  /** Another column, before the menu. */
  readonly moreColumn?: Column<Person>;
  /** Another action in the menu. */
  readonly moreAction?: { readonly label: string; readonly run: (person: Person) => void };
  readonly label: string;
  /** The header of the first column. */
  readonly header: string;
  readonly roles: readonly { readonly role: Role; readonly name: FixedTextKey; readonly text: FixedTextKey }[];
  readonly read: {
    readonly data: { readonly data: readonly Person[] } | undefined;
    readonly error: ApiError | null;
    readonly refetch: () => unknown;
  };
  /** The API path of the list. One person is below it. */
  readonly path: string;
  /** Left out: no reset links here. */
  readonly resetPath?: (id: string) => string;
  /** Other queries that a changed role affects. */
  readonly changes?: readonly string[];
  readonly removeText: string;
  /** The API that ends what a removed person issued. Left out: it belongs to several accounts. */
  readonly issuedApi?: '/account/v1' | '/admin/v1';
  readonly mayManage: boolean;
  readonly empty: ReactNode;
}

/** People with their roles. Owners change a role, create a reset link, or remove a person. */
export function RoleTable<Role extends string, Person extends RoleHolder<Role> = RoleHolder<Role>>(
  props: RoleTableProps<Role, Person>,
) {
  const { t } = useText();
  const { user } = useSession();
  const { label, roles, read, path, changes = [], mayManage } = props;
  const [open, setOpen] = useState<{ action: 'role' | 'reset' | 'remove'; person: Person }>();
  const close = () => setOpen(undefined);
  const pathOf = ({ id }: { readonly id: string }) => `${path}/${encodeURIComponent(id)}`;
  const nameOf = (role: Role) => roles.find((each) => each.role === role)?.name;
  const columns: readonly Column<Person>[] = [
    { key: 'person', header: props.header, phone: 'lead', cell: (person) => <PersonCell {...person} /> },
    {
      key: 'role',
      header: t('settings.role'),
      phone: 'state',
      cell: ({ role }) => <Badge color="gray">{t(nameOf(role) ?? 'common.unknown')}</Badge>,
    },
    { key: 'since', header: t('settings.since'), phone: 'note', cell: ({ since }) => <When at={since} as="date" /> },
    ...(props.moreColumn ? [props.moreColumn] : []),
    {
      key: 'menu',
      header: t('common.actions'),
      align: 'right',
      phone: 'menu',
      cell: (person) =>
        (person.id !== user.id || props.moreAction) && (
          <RowMenu label={t('people.menu', { name: person.name })}>
            {props.moreAction && (
              <Menu.Item onClick={() => props.moreAction?.run(person)}>{props.moreAction.label}</Menu.Item>
            )}
            {person.id !== user.id && (
              <>
                <Menu.Item onClick={() => setOpen({ action: 'role', person })}>{t('people.changeRole')}</Menu.Item>
                {props.resetPath && (
                  <Menu.Item onClick={() => setOpen({ action: 'reset', person })}>{t('people.resetAction')}</Menu.Item>
                )}
                <Menu.Item color="red" onClick={() => setOpen({ action: 'remove', person })}>
                  {t('common.remove')}
                </Menu.Item>
              </>
            )}
          </RowMenu>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={label}
        columns={columns.filter(({ key }) => mayManage || key !== 'menu')}
        pages={asPages({ ...read, data: read.data?.data })}
        rowKey={({ id }) => id}
        empty={props.empty}
      />
      {open?.action === 'role' && (
        <RoleDialog
          person={open.person}
          roles={roles}
          path={pathOf(open.person)}
          changes={[path, ...changes]}
          onClose={close}
        />
      )}
      {open?.action === 'reset' && props.resetPath && (
        <ResetDialog name={open.person.name} path={props.resetPath(open.person.id)} onClose={close} />
      )}
      {open?.action === 'remove' && (
        <Removal person={open.person} path={path} text={props.removeText} api={props.issuedApi} onClose={close} />
      )}
    </>
  );
}

interface RoleDialogProps<Role extends string> extends Pick<RoleTableProps<Role>, 'roles' | 'path'> {
  /** The person as it was when the dialog opened. */
  readonly person: RoleHolder<Role>;
  readonly changes: readonly string[];
  readonly onClose: () => void;
}

/** Changes a role. Detects a conflicting change by another user. */
function RoleDialog<Role extends string>({ person, roles, ...props }: RoleDialogProps<Role>) {
  const { path, changes, onClose } = props;
  const { t } = useText();
  const [chosen, setChosen] = useState(person.role);
  const edit = useReplacing<RoleHolder<Role>, { readonly role: Role }>(person, {
    method: 'PATCH',
    path,
    changes,
    onSaved: onClose,
    fieldsOf: ({ role }) => ({ role }),
    labels: { role: t('settings.role') },
    valueText: (_path, value) => {
      const known = roles.find((each) => each.role === value);
      return known && t(known.name);
    },
  });
  return (
    <EntryDialog
      isOpen
      title={t('people.changeRoleTitle', { name: person.name })}
      edit={edit}
      onSubmit={() => edit.save({ role: chosen })}
      onClose={onClose}
    >
      <RadioList
        label={t('settings.role')}
        value={chosen}
        options={roles.map(({ role, name, text }) => ({ value: role, label: t(name), description: t(text) }))}
        onChange={setChosen}
      />
    </EntryDialog>
  );
}
