import { Group, Menu, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import type { InvitationList, Member } from '../../api/wire.ts';
import { asPages, type Page, useRead } from '../../api/queries.ts';
import { useMayOperate, useSession } from '../../api/session.ts';
import { PersonCell } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AfterReads } from '../../components/after-reads.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { MembersIcon } from '../../icons.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { Invitations } from '../members/invitations.tsx';
import { MemberTermsDialog, memberTexts, SpentOfLimit } from '../members/member-terms.tsx';
import { usePageText } from '../../text/page-text.ts';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { ResetDialog } from '../people/reset-dialog.tsx';

const roles: Readonly<Record<Member['role'], FixedTextKey>> = {
  owner: 'accounts.roleOwner',
  member: 'accounts.roleMember',
  viewer: 'accounts.roleViewer',
};

const path = '/account/v1/members';
const invitationsPath = '/account/v1/invitations';

/** The members of this account, whichever account the rest of the dashboard shows. */
export function MembersTab({ accountId }: { readonly accountId: string }) {
  const { t } = useText();
  const m = usePageText(memberTexts);
  const [limited, setLimited] = useState<Member>();
  const mayOperate = useMayOperate();
  const { user } = useSession();
  const [isInviting, { open: invite, close: stop }] = useDisclosure();
  const members = useRead<Page<Member>>(path, {}, { account: accountId });
  const invitations = useRead<InvitationList>(invitationsPath, {}, { account: accountId });
  const [toReset, setToReset] = useState<Member>();
  const hasOwner = members.data?.data.some(({ role }) => role === 'owner') ?? true;
  const columns: readonly Column<Member>[] = [
    { key: 'name', header: t('common.name'), cell: (member) => <PersonCell {...member} /> },
    { key: 'role', header: t('accounts.role'), cell: ({ role }) => t(roles[role]) },
    {
      key: 'limits',
      header: m('spent'),
      align: 'right',
      wideOnly: true,
      cell: (member) => <SpentOfLimit member={member} />,
    },
    {
      key: 'menu',
      header: t('common.actions'),
      align: 'right',
      cell: (member) => (
        <RowMenu label={t('people.menu', { name: member.name })}>
          <Menu.Item onClick={() => setLimited(member)}>{m('action')}</Menu.Item>
          {member.id !== user.id && <Menu.Item onClick={() => setToReset(member)}>{t('people.resetAction')}</Menu.Item>}
        </RowMenu>
      ),
    },
  ];
  return (
    <Stack>
      {mayOperate && members.data?.data.length !== 0 && (
        <Group justify="flex-end">
          <AddButton variant="default" onClick={invite}>
            {t('settings.invite')}
          </AddButton>
        </Group>
      )}
      {isInviting && (
        <InviteDialog
          onClose={stop}
          path={`/admin/v1/accounts/${accountId}/invitations`}
          firstRole={hasOwner ? 'member' : 'owner'}
        />
      )}
      <AfterReads reads={[members, invitations]}>
        <DataTable
          label={t('accounts.tabMembers')}
          columns={columns.filter(({ key }) => mayOperate || key !== 'menu')}
          pages={asPages({ ...members, data: members.data?.data })}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              icon={<MembersIcon />}
              title={t('accounts.noMembers')}
              text={t('accounts.noMembersText')}
              action={mayOperate && <AddButton onClick={invite}>{t('settings.invite')}</AddButton>}
            />
          }
        />
        <Invitations
          pages={asPages({ ...invitations, data: invitations.data?.data })}
          mayManage={mayOperate}
          path="/admin/v1/links"
        />
      </AfterReads>
      {limited && <MemberTermsDialog member={limited} accountId={accountId} onClose={() => setLimited(undefined)} />}
      {toReset && (
        <ResetDialog
          name={toReset.name}
          path={`/admin/v1/people/${encodeURIComponent(toReset.id)}/reset`}
          onClose={() => setToReset(undefined)}
        />
      )}
    </Stack>
  );
}
