import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Pages } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';

interface ListedLink {
  readonly id: string;
  readonly email: string;
  readonly expires_at: string;
}

interface LinkTableProps<Link extends ListedLink> {
  readonly label: string;
  readonly pages: Pages<Link>;
  /** The columns before the expiry. */
  readonly columns: readonly Column<Link>[];
  readonly mayWithdraw: boolean;
  /** The API path of the links. */
  readonly path: string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  readonly withdrawTitle: string;
  readonly withdrawText: (email: string) => string;
}

/** Open links that were sent to people. Each can be withdrawn. */
export function LinkTable<Link extends ListedLink>(props: LinkTableProps<Link>) {
  const { t } = useText();
  const { label, pages, columns, mayWithdraw, path } = props;
  const [toWithdraw, setToWithdraw] = useState<Link>();
  const withdraw = useWrite<unknown, Link>({
    method: 'DELETE',
    path: ({ id }) => `${path}/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/account/v1/invitations', '/admin/v1/links', '/admin/v1/operators'],
  });
  const shown: readonly Column<Link>[] = [
    ...columns,
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
    <>
      <DataTable
        label={label}
        columns={shown.filter(({ key }) => mayWithdraw || key !== 'take-back')}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<EmptyState title={props.emptyTitle} text={props.emptyText} />}
      />
      <ConfirmDialog
        isOpen={toWithdraw !== undefined}
        title={props.withdrawTitle}
        text={props.withdrawText(toWithdraw?.email ?? '')}
        action={t('settings.withdraw')}
        write={withdraw}
        body={toWithdraw}
        onClose={() => setToWithdraw(undefined)}
      />
    </>
  );
}
