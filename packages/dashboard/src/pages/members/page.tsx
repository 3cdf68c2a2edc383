import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { asPages, useRead } from '../../api/queries.ts';
import type { InvitationList, Member, MemberList } from '../../api/wire.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useOpenDialog } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { roles } from '../../components/roles.ts';
import { AddButton } from '../../components/view-links.tsx';
import { MembersIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { RoleTable } from '../people/role-table.tsx';
import { AccountRename } from './account-rename.tsx';
import { Invitations } from './invitations.tsx';
import { MemberTermsDialog, memberTexts, SpentOfLimit } from './member-terms.tsx';
import { usePageText } from '../../text/page-text.ts';
import { InviteDialog } from './invite-dialog.tsx';

const path = '/account/v1/members';
const invitationsPath = '/account/v1/invitations';

/** The members and invitations of the account. Its owners manage them. */
export default function MembersPage() {
  const { t } = useText();
  const m = usePageText(memberTexts);
  const [limited, setLimited] = useState<Member>();
  const { account } = useAccountChoice();
  const [open, setOpen] = useOpenDialog(['invite', 'rename']);
  const close = () => setOpen(undefined);
  const own = useOwnAccount();
  const members = useRead<MemberList>(path);
  const invitations = useRead<InvitationList>(invitationsPath);
  if (!account) return <EmptyState title={t('frame.noAccountTitle')} text={t('frame.noAccountText')} />;
  const mayManage = account.role === 'owner' && account.mayWrite;
  const invite = <AddButton onClick={() => setOpen('invite')}>{t('settings.invite')}</AddButton>;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.members')}
        description={t('settings.membersText', { account: account.name })}
        actions={
          mayManage && (
            <>
              <Button variant="default" onClick={() => setOpen('rename')}>
                {t('settings.renameAccount')}
              </Button>
              {members.data?.data.length !== 0 && invite}
            </>
          )
        }
      />
      <AfterReads reads={[members, invitations]}>
        <RoleTable
          label={t('nav.members')}
          header={t('settings.member')}
          roles={roles}
          read={members}
          path={path}
          resetPath={(id) => `${path}/${encodeURIComponent(id)}/reset`}
          changes={['session']}
          removeText={m('removeText', { account: account.name })}
          issuedApi="/account/v1"
          moreColumn={{
            key: 'limits',
            header: m('spent'),
            align: 'right',
            wideOnly: true,
            cell: (member: Member) => <SpentOfLimit member={member} />,
          }}
          {...(mayManage && { moreAction: { label: m('action'), run: setLimited } })}
          mayManage={mayManage}
          empty={
            <EmptyState
              icon={<MembersIcon size={24} />}
              title={t('settings.membersEmpty')}
              text={t('settings.membersEmptyText')}
              action={mayManage && invite}
            />
          }
        />
        <Invitations
          pages={asPages({ ...invitations, data: invitations.data?.data })}
          mayManage={mayManage}
          path={invitationsPath}
        />
      </AfterReads>
      {limited && mayManage && <MemberTermsDialog member={limited} onClose={() => setLimited(undefined)} />}
      {open === 'invite' && mayManage && <InviteDialog onClose={close} />}
      {open === 'rename' && mayManage && own && <AccountRename account={own} onClose={close} />}
    </>
  );
}
