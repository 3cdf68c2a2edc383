import { Badge, Title } from '@mantine/core';
import type { Pages } from '../../api/queries.ts';
import type { Invitation } from '../../api/wire.ts';
import { roleName } from '../../components/roles.ts';
import { useText } from '../../text/text.tsx';
import { LinkTable } from '../people/link-table.tsx';

interface InvitationsProps {
  readonly pages: Pages<Invitation>;
  readonly mayManage: boolean;
  /** The API path of the invitations. */
  readonly path: string;
}

/** The open invitations of an account. */
export function Invitations({ pages, mayManage, path }: InvitationsProps) {
  const { t } = useText();
  return (
    <>
      <Title order={2} mt={40} mb="md">
        {t('settings.invitationsTitle')}
      </Title>
      <LinkTable
        label={t('settings.invitationsTitle')}
        pages={pages}
        columns={[
          { key: 'email', header: t('settings.email'), cell: ({ email }) => email },
          {
            key: 'role',
            header: t('settings.role'),
            cell: ({ role }) => <Badge color="gray">{t(roleName(role))}</Badge>,
          },
        ]}
        mayWithdraw={mayManage}
        path={path}
        emptyTitle={t('settings.invitationsEmpty')}
        emptyText={t('settings.invitationsEmptyText')}
        withdrawTitle={t('settings.withdrawTitle')}
        withdrawText={(email) => t('settings.withdrawText', { email })}
      />
    </>
  );
}
