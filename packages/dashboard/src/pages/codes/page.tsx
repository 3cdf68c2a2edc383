import { usePages } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import type { CodeBatch } from '../../api/wire.ts';
import { NamedCell } from '../../components/cells.tsx';
import { Clip } from '../../components/clip.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useOpenDialog } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { saveRows } from '../../components/row-export.ts';
import type { TableSelection } from '../../components/table-selection.ts';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { AddButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { When } from '../../components/when.tsx';
import { CodesIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { CodeRestrictions } from './code-restrictions.tsx';
import { NewBatchDialog } from './new-batch-dialog.tsx';
import { texts } from './texts.ts';

/** Batches of redemption codes, and how many of each are redeemed. */
export default function CodesPage() {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const pages = usePages<CodeBatch>('/admin/v1/code-batches');
  const [open, setOpen] = useOpenDialog(['codes']);
  const view = useTableView('codes');
  const selection = useBatchSelection(mayOperate);
  const terminal = usePageText(tableTexts)('terminal');
  const columns: readonly Column<CodeBatch>[] = [
    { key: 'note', header: t('codes.note'), phone: 'lead', cell: ({ note }) => <NamedCell name={note} /> },
    {
      key: 'amount',
      header: t('codes.worth'),
      align: 'right',
      phone: 'trail',
      cell: ({ amount }) => <Money amount={amount} />,
    },
    {
      key: 'redeemed',
      header: t('codes.redeemed'),
      align: 'right',
      phone: 'end',
      cell: ({ redeemed, count }) => t('codes.redeemedOf', { redeemed, count }),
    },
    {
      key: 'restrictions',
      header: t('codes.restrictions'),
      choice: 'shown',
      dropOrder: 2,
      cell: (batch) => (
        <Clip>
          <CodeRestrictions batch={batch} />
        </Clip>
      ),
    },
    {
      key: 'made',
      header: t('codes.created'),
      choice: 'shown',
      dropOrder: 1,
      phone: 'note',
      cell: ({ created_at: at }) => <When at={at} />,
    },
  ];
  const make = mayOperate && <AddButton onClick={() => setOpen('codes')}>{t('codes.make')}</AddButton>;
  const actions = (
    <>
      <ViewMenu view={view} columns={columns} />
      {pages.rows?.length !== 0 && make}
    </>
  );
  return (
    <>
      <PageHeader withAge title={t('nav.codes')} description={t('codes.description')} actions={actions} />
      <DataTable
        label={t('nav.codes')}
        columns={columns}
        view={view}
        selection={selection}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/app/operator/codes/${encodeURIComponent(id)}`}
        empty={
          <EmptyState
            icon={<CodesIcon size={22} />}
            title={t('codes.emptyTitle')}
            text={t('codes.emptyText')}
            action={make}
            code={<CodeBlock snippets={[{ name: terminal, code: command }]} />}
          />
        }
      />
      {open === 'codes' && mayOperate && <NewBatchDialog onClose={() => setOpen(undefined)} />}
    </>
  );
}

const command = 'chat-gateway codes create --count 100 --amount 5.00 --note "Summer school"';

/** The unused codes of selected batches can be withdrawn, unless the user may only read. Batches can be exported. */
function useBatchSelection(mayOperate: boolean): TableSelection<CodeBatch> {
  const { t } = useText();
  const p = usePageText(texts);
  const exportLabel = usePageText(tableTexts)('exportSelected');
  const path = '/admin/v1/code-batches';
  const withdraw = {
    key: 'withdraw',
    label: p('withdraw'),
    isFor: ({ count, redeemed, withdrawn }: CodeBatch) => count > redeemed + withdrawn,
    write: {
      title: (count: number) => p('withdrawMany', { count }),
      text: t('codes.withdrawText'),
      isDangerous: true,
      path: ({ id }: CodeBatch) => `${path}/${encodeURIComponent(id)}/withdraw`,
      changes: [path],
      successMessage: (count: number) => p('withdrawnMany', { count }),
    },
  };
  return {
    nameOf: ({ note }) => note,
    actions: [
      ...(mayOperate ? [withdraw] : []),
      { key: 'export', label: exportLabel, run: (rows) => saveRows('code-batches', exported, rows) },
    ],
  };
}

const exported = [
  'id',
  'note',
  'amount',
  'kind',
  'count',
  'redeemed',
  'withdrawn',
  'site',
  'package',
  'expires_at',
  'created_by',
  'created_at',
] as const;
