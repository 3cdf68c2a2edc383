import { Text } from '@mantine/core';
import { usePages } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import type { CodeBatch } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useOpenDialog } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { AddButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { CodesIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CodeRestrictions } from './code-restrictions.tsx';
import { NewBatchDialog } from './new-batch-dialog.tsx';

/** Batches of redemption codes, and how many of each are redeemed. */
export default function CodesPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<CodeBatch>('/admin/v1/code-batches');
  const [open, setOpen] = useOpenDialog(['codes']);
  const columns: readonly Column<CodeBatch>[] = [
    { key: 'note', header: t('codes.note'), cell: ({ note }) => <Text fw={520}>{note}</Text> },
    { key: 'amount', header: t('codes.worth'), align: 'right', cell: ({ amount }) => <Money amount={amount} /> },
    {
      key: 'redeemed',
      header: t('codes.redeemed'),
      align: 'right',
      cell: ({ redeemed, count }) => t('codes.redeemedOf', { redeemed, count }),
    },
    {
      key: 'restrictions',
      header: t('codes.restrictions'),
      wideOnly: true,
      cell: (batch) => <CodeRestrictions batch={batch} />,
    },
    {
      key: 'made',
      header: t('codes.created'),
      wideOnly: true,
      cell: ({ created_at: at }) => <When at={at} as="date" />,
    },
  ];
  const make = mayOperate && <AddButton onClick={() => setOpen('codes')}>{t('codes.make')}</AddButton>;
  return (
    <>
      <PageHeader withAge title={t('nav.codes')} description={t('codes.description')} actions={make} />
      <DataTable
        label={t('nav.codes')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/app/operator/codes/${encodeURIComponent(id)}`}
        empty={
          <EmptyState
            icon={<CodesIcon size={22} />}
            title={t('codes.emptyTitle')}
            text={t('codes.emptyText')}
            action={make}
          />
        }
      />
      {open === 'codes' && mayOperate && <NewBatchDialog onClose={() => setOpen(undefined)} />}
    </>
  );
}
