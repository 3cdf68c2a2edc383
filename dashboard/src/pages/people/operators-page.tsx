import { Badge, Menu } from '@mantine/core';
import { useState } from 'react';
import { asPages, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import type { Operator, OperatorList } from '../../api/wire.ts';
import { PersonCell } from '../../components/cells.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { operatorRoleName, operatorRoles } from '../../components/roles.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { MembersIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { PeopleFrame } from './people-frame.tsx';
import { ResetDialog } from './reset-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

const path = '/admin/v1/operators';
const pathOf = ({ id }: { readonly id: string }) => `${path}/${encodeURIComponent(id)}`;

type OperatorDialog =
  | { readonly action: 'role' | 'reset' | 'remove'; readonly operator: Operator }
  | { readonly action: 'invite' };

/** The operators of the gateway. Its owners manage them. */
export default function OperatorsPage() {
  const { t } = useText();
  const { user } = useSession();
  const operators = useRead<OperatorList>(path);
  const [open, setOpen] = useState<OperatorDialog>();
  const close = () => setOpen(undefined);
  const removed = open?.action === 'remove' ? open.operator : undefined;
  const remove = useWrite<unknown, Operator>({
    method: 'DELETE',
    path: pathOf,
    send: () => undefined,
    changes: [path],
  });
  const columns: readonly Column<Operator>[] = [
    { key: 'person', header: t('people.user'), cell: (operator) => <PersonCell {...operator} /> },
    {
      key: 'role',
      header: t('settings.role'),
      cell: ({ role }) => <Badge color="gray">{t(operatorRoleName(role))}</Badge>,
    },
    { key: 'since', header: t('settings.since'), cell: ({ since }) => <When at={since} as="date" /> },
    {
      key: 'menu',
      header: t('common.actions'),
      align: 'right',
      cell: (operator) =>
        operator.id !== user.id && (
          <RowMenu label={t('people.menu', { name: operator.name })}>
            <Menu.Item onClick={() => setOpen({ action: 'role', operator })}>{t('people.changeRole')}</Menu.Item>
            <Menu.Item onClick={() => setOpen({ action: 'reset', operator })}>{t('people.resetAction')}</Menu.Item>
            <Menu.Item color="red" onClick={() => setOpen({ action: 'remove', operator })}>
              {t('common.remove')}
            </Menu.Item>
          </RowMenu>
        ),
    },
  ];
  return (
    <PeopleFrame
      path="/app/operator/people/operators"
      text="people.operatorsText"
      actions={<AddButton onClick={() => setOpen({ action: 'invite' })}>{t('people.inviteOperator')}</AddButton>}
    >
      <DataTable
        label={t('people.tabOperators')}
        columns={columns}
        pages={asPages({ ...operators, data: operators.data?.data })}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<MembersIcon size={24} />}
            title={t('people.operatorsEmpty')}
            text={t('people.operatorsText')}
          />
        }
      />
      {open?.action === 'invite' && (
        <InviteDialog
          title="people.inviteOperator"
          onClose={close}
          path={`${path}/invitations`}
          roles={operatorRoles}
          firstRole="operator"
        />
      )}
      {open?.action === 'role' && (
        <RoleDialog
          person={open.operator}
          kind="operator"
          roles={operatorRoles}
          path={pathOf(open.operator)}
          changes={[path]}
          onClose={close}
        />
      )}
      {open?.action === 'reset' && (
        <ResetDialog
          name={open.operator.name}
          path={`/admin/v1/people/${encodeURIComponent(open.operator.id)}/reset`}
          onClose={close}
        />
      )}
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={t('settings.removeTitle', { name: removed?.name ?? '' })}
        text={t('people.removeOperatorText')}
        action={t('common.remove')}
        write={remove}
        body={removed}
        onClose={close}
      />
    </PeopleFrame>
  );
}
