import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import type { Page } from '../../api/page.ts';
import type { Member } from '../../api/wire.ts';
import { useMayOperate } from '../../api/operator.ts';
import { asPages, readKey } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { MembersIcon, PlusIcon } from '../../icons.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';
import { InviteDialog } from '../members/invite-dialog.tsx';

const roles: Readonly<Record<Member['role'], PlainKey>> = {
  owner: 'accounts.roleOwner',
  member: 'accounts.roleMember',
  viewer: 'accounts.roleViewer',
};

const path = '/account/v1/members';

/** Who belongs to the account. It is asked for this account, whichever one the rest of the dashboard shows. */
export function MembersTab({ accountId }: { readonly accountId: string }) {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [isInviting, { open: invite, close: stop }] = useDisclosure();
  const members = useQuery<Page<Member>, ApiError>({
    queryKey: readKey(path, accountId),
    queryFn: ({ signal }) => call(path, { account: accountId, signal }),
  });
  const columns: readonly Column<Member>[] = [
    { key: 'name', header: t('common.name'), cell: ({ name, email }) => name || email },
    { key: 'email', header: t('accounts.email'), cell: ({ email }) => email },
    { key: 'role', header: t('accounts.role'), cell: ({ role }) => t(roles[role]) },
  ];
  return (
    <Stack>
      {mayOperate && (
        <Group justify="flex-end">
          <Button variant="default" leftSection={<PlusIcon size={16} />} onClick={invite}>
            {t('settings.invite')}
          </Button>
        </Group>
      )}
      <InviteDialog isOpen={isInviting} onClose={stop} path={`/admin/v1/accounts/${accountId}/invitations`} />
      <DataTable
        label={t('accounts.tabMembers')}
        columns={columns}
        pages={asPages({ ...members, data: members.data?.data })}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<MembersIcon />} title={t('accounts.noMembers')} text={t('accounts.noMembersText')} />}
      />
    </Stack>
  );
}
