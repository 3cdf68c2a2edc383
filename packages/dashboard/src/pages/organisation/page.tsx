import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { asPages, usePages, useRead } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import type {
  Account,
  InvitationList,
  Organisation,
  OrganisationMember,
  OrganisationMemberList,
} from '../../api/wire.ts';
import { useWrite } from '../../api/write.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { OwnedByFile, PersonCell } from '../../components/cells.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LimitsCard } from '../../components/limit-windows.tsx';
import { NameList } from '../../components/model-patterns.tsx';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { organisationRoles, roleName } from '../../components/roles.ts';
import { AddButton, BackLink } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { MembersIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Invitations } from '../members/invitations.tsx';
import { InviteDialog } from '../members/invite-dialog.tsx';
import { OrganisationDialog } from '../organisations/organisation-dialog.tsx';
import { texts } from '../organisations/texts.ts';
import { AccountTable, BillTable, OrganisationFigures, Section } from './parts.tsx';

/** One organisation as an operator sees it. */
export default function OrganisationPage() {
  const { t } = useText();
  const p = usePageText(texts);
  const mayOperate = useMayOperate();
  const { id = '' } = useParams({ strict: false });
  const path = `/admin/v1/organisations/${encodeURIComponent(id)}`;
  const read = useRead<Organisation>(path);
  const members = useRead<OrganisationMemberList>(`${path}/members`);
  const invitations = useRead<InvitationList>(`${path}/invitations`);
  const { data, error, refetch } = read;
  const reads = [read, members, invitations];
  // The header grows together with the sections below it.
  const organisation = reads.some(({ isPending }) => isPending) ? undefined : data;
  const back = <BackLink to="/app/operator/organisations">{p('back')}</BackLink>;
  if (error && !data) return <PageError back={back} title={t('nav.organisation')} read={{ error, refetch }} />;
  const name = organisation ? (organisation.display_name ?? organisation.name) : '';
  return (
    <>
      {back}
      <PageHeader
        withAge
        title={organisation && name}
        description={organisation && <Facts organisation={organisation} />}
        actions={organisation && mayOperate && <Actions organisation={organisation} name={name} />}
      />
      <AfterReads reads={reads}>
        <Stack gap="lg">
          <OrganisationFigures organisation={organisation} />
          <LimitsCard windows={organisation?.windows} />
          <Section title={p('accounts')}>
            <Accounts id={id} />
          </Section>
          <Members {...{ path, name, members, invitations }} />
          <Section title={p('bills')}>
            <BillTable path={`${path}/bills`} />
          </Section>
        </Stack>
      </AfterReads>
    </>
  );
}

function Facts({ organisation }: { readonly organisation: Organisation }) {
  const { t } = useText();
  const p = usePageText(texts);
  const { name, display_name: shown, models, source } = organisation;
  return (
    <Group gap="4px 16px" mt={4}>
      <OwnedByFile source={source} />
      {shown !== null && <Text fz="sm">{t('accounts.calledInCommands', { name })}</Text>}
      <Group gap={6} fz="sm">
        <Text fz="sm">{p('models')}:</Text>
        {models === null ? <Text fz="sm">{p('allModels')}</Text> : <NameList names={models} />}
      </Group>
      <Text fz="sm">
        {p('timeZone')}: {organisation.time_zone}
      </Text>
    </Group>
  );
}

function Actions({ organisation, name }: { readonly organisation: Organisation; readonly name: string }) {
  const p = usePageText(texts);
  const navigate = useNavigate();
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const close = () => setOpen(undefined);
  const remove = useWrite({
    method: 'DELETE',
    path: `/admin/v1/organisations/${encodeURIComponent(organisation.id)}`,
    changes: ['/admin/v1/organisations'],
    successMessage: () => p('removed'),
  });
  return (
    <>
      <Button variant="default" color="red" onClick={() => setOpen('remove')}>
        {p('remove')}
      </Button>
      <Button onClick={() => setOpen('edit')}>{p('edit')}</Button>
      {open === 'edit' && <OrganisationDialog organisation={organisation} onClose={close} />}
      <ConfirmDialog
        isOpen={open === 'remove'}
        title={p('removeTitle', { name })}
        text={p('removeText')}
        action={p('remove')}
        write={remove}
        onClose={() => (remove.isSuccess ? void navigate({ to: '/app/operator/organisations' }) : close())}
      />
    </>
  );
}

function Accounts({ id }: { readonly id: string }) {
  const pages = usePages<Account>('/admin/v1/accounts', { organisation: id });
  return (
    <AccountTable pages={pages} rowLink={(account) => `/app/operator/accounts/${encodeURIComponent(account.id)}`} />
  );
}

interface MembersProps {
  readonly path: string;
  readonly name: string;
  readonly members: ReturnType<typeof useRead<OrganisationMemberList>>;
  readonly invitations: ReturnType<typeof useRead<InvitationList>>;
}

function Members({ path, name, members, invitations }: MembersProps) {
  const { t } = useText();
  const p = usePageText(texts);
  const mayOperate = useMayOperate();
  const [isInviting, { open: invite, close }] = useDisclosure();
  const columns: readonly Column<OrganisationMember>[] = [
    { key: 'name', header: p('member'), phone: 'lead', cell: (member) => <PersonCell {...member} /> },
    {
      key: 'role',
      header: t('settings.role'),
      phone: 'state',
      cell: ({ role }) => <Badge color="gray">{t(roleName(role))}</Badge>,
    },
    { key: 'since', header: t('settings.since'), phone: 'note', cell: ({ since }) => <When at={since} as="date" /> },
  ];
  const button = mayOperate && (
    <AddButton variant="default" onClick={invite}>
      {t('settings.invite')}
    </AddButton>
  );
  return (
    <Section title={p('members')} action={button}>
      <DataTable
        label={p('members')}
        columns={columns}
        pages={asPages({ ...members, data: members.data?.data })}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<MembersIcon />} title={p('noMembers')} text={p('noMembersText')} />}
      />
      <Invitations
        pages={asPages({ ...invitations, data: invitations.data?.data })}
        mayManage={mayOperate}
        path="/admin/v1/links"
      />
      {isInviting && (
        <InviteDialog
          heading={p('inviteTitle', { name })}
          path={`${path}/invitations`}
          roles={organisationRoles}
          firstRole="owner"
          onClose={close}
        />
      )}
    </Section>
  );
}
