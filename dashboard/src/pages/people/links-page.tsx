import { Button } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import type { OpenLink } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { operatorRoleName, roleName } from '../../components/roles.ts';
import { When } from '../../components/when.tsx';
import { type Translate, useText } from '../../text/text.tsx';
import { PeopleFrame } from './people-frame.tsx';
import { resetChoices } from './reset-dialog.tsx';

const path = '/admin/v1/links';

/** All open invitation and reset links. Each can be withdrawn. */
export default function LinksPage() {
  const { t } = useText();
  const pages = usePages<OpenLink>(path);
  const [toWithdraw, setToWithdraw] = useState<OpenLink>();
  const withdraw = useWrite<unknown, OpenLink>({
    method: 'DELETE',
    path: ({ id }) => `${path}/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: [path, '/account/v1/invitations', '/admin/v1/operators'],
  });
  const columns: readonly Column<OpenLink>[] = [
    { key: 'email', header: t('people.linkFor'), cell: ({ email }) => email },
    { key: 'kind', header: t('people.linkKind'), cell: (link) => purposeText(link, t) },
    { key: 'by', header: t('people.createdBy'), wideOnly: true, cell: (link) => link.created_by },
    { key: 'expires', header: t('settings.expires'), cell: (link) => <When at={link.expires_at} /> },
    {
      key: 'take-back',
      header: t('common.actions'),
      align: 'right',
      cell: (link) => (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setToWithdraw(link)}>
          {t('settings.withdraw')}
        </Button>
      ),
    },
  ];
  return (
    <PeopleFrame path="/app/operator/people/links" text="people.linksText">
      <DataTable
        label={t('people.tabLinks')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t('people.linksEmpty')} text={t('people.linksEmptyText')} />}
      />
      <ConfirmDialog
        isOpen={toWithdraw !== undefined}
        title={t('people.withdrawTitle')}
        text={t('people.withdrawText', { email: toWithdraw?.email ?? '' })}
        action={t('settings.withdraw')}
        write={withdraw}
        body={toWithdraw}
        onClose={() => setToWithdraw(undefined)}
      />
    </PeopleFrame>
  );
}

function purposeText({ kind, role, resets, account }: OpenLink, t: Translate): string {
  if (kind === 'account') return t('people.linkAccount', { role: t(roleName(role ?? '')), account: account ?? '' });
  if (kind === 'operator') return t('people.linkOperator', { role: t(operatorRoleName(role ?? '')) });
  const choice = resetChoices.find((each) => each.resets === resets) ?? resetChoices[0];
  return t('people.linkReset', { what: t(choice.name) });
}
