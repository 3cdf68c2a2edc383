import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useAccountChoice } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { asPages, useRead } from '../../api/queries.ts';
import type { InvitationList } from '../../api/wire.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PlusIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AccountRename } from './account-rename.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Members } from './members.tsx';

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
              <Button leftSection={<PlusIcon size={16} />} onClick={dialog.open}>
                {t('settings.invite')}
              </Button>
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
      <InviteDialog isOpen={isOpen} onClose={dialog.close} />
      {isRenaming && own && <AccountRename account={own} onClose={renaming.close} />}
    </>
  );
}
