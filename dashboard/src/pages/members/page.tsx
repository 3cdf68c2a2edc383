import { Badge, Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type ChosenAccount, useAccountChoice } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { asPages, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { InvitationList, Member, MemberList } from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { PersonCell } from '../../components/cells.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { roleName, roles } from '../../components/roles.ts';
import { RowMenu } from '../../components/row-menu.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { MembersIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { ResetDialog } from '../people/reset-dialog.tsx';
import { RoleDialog } from '../people/role-dialog.tsx';
import { AccountRename } from './account-rename.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';

const invitationsPath = '/account/v1/invitations';

/** The members and invitations of the account. Its owners manage them. */
export default function MembersPage() {
  const { t } = useText();
  const { account } = useAccountChoice();
  const [isOpen, dialog] = useDisclosure(false);
  const [isRenaming, renaming] = useDisclosure(false);
  const own = useOwnAccount();
  const invitations = useRead<InvitationList>(invitationsPath);
  if (!account) return <EmptyState title={t('frame.noAccountTitle')} text={t('frame.noAccountText')} />;
  const mayManage = account.role === 'owner' && account.mayWrite;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.members')}
        description={t('settings.membersText', { account: account.name })}
        actions={
          mayManage && (
            <>
              <Button variant="default" onClick={renaming.open}>
                {t('settings.renameAccount')}
              </Button>
              <AddButton onClick={dialog.open}>{t('settings.invite')}</AddButton>
            </>
          )
        }
      />
      <Members account={account} mayManage={mayManage} />
      <Invitations
        pages={asPages({ ...invitations, data: invitations.data?.data })}
        mayManage={mayManage}
        path={invitationsPath}
      />
      {isOpen && <InviteDialog onClose={dialog.close} />}
      {isRenaming && own && <AccountRename account={own} onClose={renaming.close} />}
    </>
  );
}

interface MembersProps {
  readonly account: ChosenAccount;
  readonly mayManage: boolean;
}

const path = '/account/v1/members';
const pathOf = ({ id }: { readonly id: string }) => `${path}/${encodeURIComponent(id)}`;

interface MemberDialog {
  readonly action: 'role' | 'reset' | 'remove';
  readonly member: Member;
}

/** The members of the account, with the actions of its owners. */
function Members({ account, mayManage }: MembersProps) {
  const { t } = useText();
  const { user } = useSession();
  const members = useRead<MemberList>(path);
  const [open, setOpen] = useState<MemberDialog>();
  const close = () => setOpen(undefined);
  const remove = useWrite<unknown, Member>({ method: 'DELETE', path: pathOf, send: () => undefined, changes: [path] });
  const columns: Column<Member>[] = [
    {
      key: 'name',
      header: t('settings.member'),
      cell: (member) => <PersonCell {...member} />,
    },
    { key: 'role', header: t('settings.role'), cell: ({ role }) => <Badge color="gray">{t(roleName(role))}</Badge> },
    { key: 'since', header: t('settings.since'), cell: ({ since }) => <When at={since} as="date" /> },
    {
      key: 'menu',
      header: t('common.actions'),
      align: 'right',
      cell: (member) =>
        mayManage &&
        member.id !== user.id && (
          <RowMenu label={t('people.menu', { name: member.name })}>
            <Menu.Item onClick={() => setOpen({ action: 'role', member })}>{t('people.changeRole')}</Menu.Item>
            <Menu.Item onClick={() => setOpen({ action: 'reset', member })}>{t('people.resetAction')}</Menu.Item>
            <Menu.Item color="red" onClick={() => setOpen({ action: 'remove', member })}>
              {t('common.remove')}
            </Menu.Item>
          </RowMenu>
        ),
    },
  ];
  return (
    <>
      <DataTable
        label={t('nav.members')}
        columns={columns}
        pages={asPages({ ...members, data: members.data?.data })}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={<MembersIcon size={24} />}
            title={t('settings.membersEmpty')}
            text={t('settings.membersEmptyText')}
          />
        }
      />
      {open?.action === 'role' && (
        <RoleDialog
          person={open.member}
          kind="member"
          roles={roles}
          path={pathOf(open.member)}
          changes={[path, 'session']}
          onClose={close}
        />
      )}
      {open?.action === 'reset' && (
        <ResetDialog name={open.member.name} path={`${pathOf(open.member)}/reset`} onClose={close} />
      )}
      <ConfirmDialog
        isOpen={open?.action === 'remove'}
        title={t('settings.removeTitle', { name: open?.member.name ?? '' })}
        text={t('settings.removeText', { account: account.name })}
        action={t('common.remove')}
        write={remove}
        body={open?.member}
        onClose={close}
      />
    </>
  );
}
