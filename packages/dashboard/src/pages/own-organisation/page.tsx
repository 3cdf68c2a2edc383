import { Button, Select, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { asPages, usePages, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Account, InvitationList, Organisation, OrganisationMemberList } from '../../api/wire.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LimitsCard } from '../../components/limit-windows.tsx';
import { accountName } from '../../components/names.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { organisationRoles } from '../../components/roles.ts';
import { AddButton } from '../../components/view-links.tsx';
import { MembersIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Invitations } from '../members/invitations.tsx';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { AccountTable, BillTable, OrganisationFigures, Section } from '../organisation/parts.tsx';
import { texts } from '../organisations/texts.ts';
import { RoleTable } from '../people/role-table.tsx';

const path = '/account/v1/organisation';

/** The organisation of the user: its accounts, their spend, one bill, and its members. */
export default function OwnOrganisationPage() {
  const { t } = useText();
  const p = usePageText(texts);
  const { organisations } = useSession();
  const { organisation: own, chooseOrganisation } = useAccountChoice();
  const [isInviting, setIsInviting] = useState(false);
  const read = useRead<Organisation>(path, {}, { enabled: own !== undefined });
  const members = useRead<OrganisationMemberList>(`${path}/members`, {}, { enabled: own !== undefined });
  const invitations = useRead<InvitationList>(`${path}/invitations`, {}, { enabled: own !== undefined });
  if (!own) {
    return (
      <>
        <PageHeader title={t('nav.ownOrganisation')} />
        <EmptyState title={p('emptyTitle')} text={t('frame.noAccountText')} />
      </>
    );
  }
  const mayManage = own.role === 'owner';
  const actions = (
    <>
      {organisations.length > 1 && (
        <Select
          aria-label={p('switchOrganisation')}
          value={own.id}
          data={organisations.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => id !== null && chooseOrganisation(id)}
          allowDeselect={false}
          searchable={organisations.length > 8}
        />
      )}
      {mayManage && <AddButton onClick={() => setIsInviting(true)}>{t('settings.invite')}</AddButton>}
    </>
  );
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.ownOrganisation')}
        description={p('ownDescription', { name: own.name })}
        actions={actions}
      />
      <AfterReads reads={[read, members, invitations]}>
        <Stack gap="lg">
          <OrganisationFigures organisation={read.data} />
          <LimitsCard windows={read.data?.windows} />
          <Section title={p('accounts')}>
            <Accounts />
          </Section>
          <Section title={p('bills')}>
            <BillTable path={`${path}/bills`} linkTo={(month) => `/app/organisation/${month}`} />
          </Section>
          <Section title={p('members')}>
            <RoleTable
              label={p('members')}
              header={p('member')}
              roles={organisationRoles}
              read={members}
              path={`${path}/members`}
              changes={['session']}
              removeText={p('removeMember')}
              mayManage={mayManage}
              empty={<EmptyState icon={<MembersIcon />} title={p('noMembers')} text={p('noMembersText')} />}
            />
            <Invitations
              pages={asPages({ ...invitations, data: invitations.data?.data })}
              mayManage={mayManage}
              path={`${path}/invitations`}
            />
          </Section>
        </Stack>
      </AfterReads>
      {isInviting && mayManage && (
        <InviteDialog
          heading={p('inviteTitle', { name: own.name })}
          path={`${path}/invitations`}
          roles={organisationRoles}
          firstRole="viewer"
          onClose={() => setIsInviting(false)}
        />
      )}
    </>
  );
}

/** The accounts of the organisation. A button switches to one. */
function Accounts() {
  const { t } = useText();
  const p = usePageText(texts);
  const navigate = useNavigate();
  const { choose } = useAccountChoice();
  const pages = usePages<Account>(`${path}/accounts`, {});
  const open = (id: string) => {
    choose(id);
    void navigate({ to: '/app/overview' });
  };
  return (
    <AccountTable
      pages={pages}
      action={{
        key: 'open',
        header: t('common.actions'),
        align: 'right',
        phone: 'menu',
        cell: (account) => (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={p('openAccountOf', { name: accountName(account) })}
            onClick={() => open(account.id)}
          >
            {p('openAccount')}
          </Button>
        ),
      }}
    />
  );
}
