import { Badge, Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { ChosenAccount } from '../../api/account.tsx';
import { asPages, useRead, useWrite } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { When } from '../../components/when.tsx';
import type { Member, MemberList } from '../../api/wire.ts';
import { MembersIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { roleName } from './roles.ts';

interface MembersProps {
  readonly account: ChosenAccount;
  readonly mayManage: boolean;
}

export function Members({ account, mayManage }: MembersProps) {
  const { t } = useText();
  const { user } = useSession();
  const members = useRead<MemberList>('/account/v1/members');
  const [leaving, setLeaving] = useState<Member>();
  const remove = useWrite<unknown, Member>({
    method: 'DELETE',
    path: ({ id }) => `/account/v1/members/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/account/v1/members'],
  });
  const columns: Column<Member>[] = [
    {
      key: 'name',
      header: t('settings.member'),
      cell: ({ name, email }) => (
        <div>
          <Text fw={520}>{name}</Text>
          <Text fz="sm" c="dimmed">
            {email}
          </Text>
        </div>
      ),
    },
    { key: 'role', header: t('settings.role'), cell: ({ role }) => <Badge color="gray">{t(roleName(role))}</Badge> },
    { key: 'since', header: t('settings.since'), cell: ({ since }) => <When at={since} as="date" /> },
    {
      key: 'remove',
      header: '',
      align: 'right',
      cell: (member) =>
        mayManage &&
        member.id !== user.id && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setLeaving(member)}>
            {t('common.remove')}
          </Button>
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
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title={t('settings.removeTitle', { name: leaving?.name ?? '' })}
        text={t('settings.removeText', { account: account.name })}
        action={t('common.remove')}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => leaving && remove.mutate(leaving, { onSuccess: () => setLeaving(undefined) })}
        onClose={() => setLeaving(undefined)}
      />
    </>
  );
}
