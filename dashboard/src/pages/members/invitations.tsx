import { Badge, Button, Title } from '@mantine/core';
import { useState } from 'react';
import type { Pages } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { roleName } from '../../components/roles.ts';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import type { Invitation } from '../../api/wire.ts';

interface InvitationsProps {
  readonly pages: Pages<Invitation>;
  readonly mayManage: boolean;
  /** The API path of the invitations. */
  readonly path: string;
}

/** The open invitations of an account. Each can be withdrawn. */
export function Invitations({ pages, mayManage, path }: InvitationsProps) {
  const { t } = useText();
  const [toWithdraw, setToWithdraw] = useState<Invitation>();
  const withdraw = useWrite<unknown, Invitation>({
    method: 'DELETE',
    path: ({ id }) => `${path}/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/account/v1/invitations', '/admin/v1/links'],
  });
  const columns: Column<Invitation>[] = [
    { key: 'email', header: t('settings.email'), cell: ({ email }) => email },
    { key: 'role', header: t('settings.role'), cell: ({ role }) => <Badge color="gray">{t(roleName(role))}</Badge> },
    { key: 'expires', header: t('settings.expires'), cell: ({ expires_at }) => <When at={expires_at} /> },
    {
      key: 'take-back',
      header: t('common.actions'),
      align: 'right',
      cell: (invitation) =>
        mayManage && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setToWithdraw(invitation)}>
            {t('settings.withdraw')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Title order={2} mt={40} mb="md">
        {t('settings.invitationsTitle')}
      </Title>
      <DataTable
        label={t('settings.invitationsTitle')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t('settings.invitationsEmpty')} text={t('settings.invitationsEmptyText')} />}
      />
      <ConfirmDialog
        isOpen={toWithdraw !== undefined}
        title={t('settings.withdrawTitle')}
        text={t('settings.withdrawText', { email: toWithdraw?.email ?? '' })}
        action={t('settings.withdraw')}
        write={withdraw}
        body={toWithdraw}
        onClose={() => setToWithdraw(undefined)}
      />
    </>
  );
}
