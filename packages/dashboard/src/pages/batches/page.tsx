import { batchSnippet } from 'chat-formats/snippets/batches.ts';
import { useModels } from '../../api/own-account.ts';
import { usePages } from '../../api/queries.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { ViewMenu } from '../../components/view-menu.tsx';
import { When } from '../../components/when.tsx';
import { BatchesIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { BatchProgress, BatchState, batchStates } from './progress.tsx';
import { allBatches, batchPath, type ListedBatch, ownBatches, runningMs, type Scope } from './scope.ts';
import { texts } from './texts.ts';

export default function BatchesPage() {
  return <BatchList scope={ownBatches} />;
}

export function OperatorPage() {
  return <BatchList scope={allBatches} />;
}

const idleMs = 30_000;

/** Batches with their progress. The list refreshes while one of them runs. */
function BatchList({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const p = usePageText(texts);
  const [filters] = useFilters(['state', 'account', 'key']);
  const pages = usePages<ListedBatch>(scope.api, filters, (rows) =>
    rows.some(({ ended_at: at }) => at === null) ? runningMs : idleMs,
  );
  const view = useTableView(scope.isOperator ? 'operator-batches' : 'batches');
  const columns = useBatchColumns(scope);
  const isFiltered = Object.keys(filters).length > 0;
  const options = batchStates.map((state) => ({ value: state, label: p(state) }));
  return (
    <>
      <PageHeader
        withAge
        title={t(scope.isOperator ? 'nav.allBatches' : 'nav.batches')}
        description={p(scope.isOperator ? 'operatorDescription' : 'description')}
      />
      {(isFiltered || (pages.rows?.length ?? 0) > 0) && (
        <FilterBar
          fields={[{ name: 'state', label: p('state'), options }]}
          otherNames={['account', 'key']}
          tools={<ViewMenu view={view} columns={columns} />}
        />
      )}
      <DataTable
        label={t('nav.batches')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ id }) => id}
        rowLink={({ id }) => batchPath(scope.app, id)}
        empty={
          isFiltered ? (
            <EmptyState title={p('nothingFound')} text={p('nothingFoundText')} />
          ) : scope.isOperator ? (
            <NoBatchesAtAll />
          ) : (
            <NoOwnBatches />
          )
        }
      />
    </>
  );
}

function useBatchColumns({ isOperator }: Scope): readonly Column<ListedBatch>[] {
  const p = usePageText(texts);
  return [
    { key: 'endpoint', header: p('endpoint'), minWidth: 150, phone: 'lead', cell: ({ endpoint }) => endpoint },
    ...(isOperator
      ? [
          {
            key: 'account',
            header: p('account'),
            minWidth: 90,
            cell: (batch: ListedBatch) => batch.account_name ?? batch.account_id,
          },
        ]
      : []),
    {
      key: 'key',
      header: p('key'),
      choice: 'shown',
      dropOrder: 3,
      cell: ({ key_name: name, key_id: id }) => name ?? id,
    },
    { key: 'state', header: p('state'), phone: 'state', cell: ({ state }) => <BatchState state={state} /> },
    {
      key: 'progress',
      header: p('progress'),
      minWidth: 110,
      phone: 'end',
      cell: (row) => <BatchProgress batch={row} />,
    },
    {
      key: 'cost',
      header: p('costSoFar'),
      align: 'right',
      phone: 'trail',
      cell: ({ cost }) => <Money amount={cost} />,
    },
    {
      key: 'deadline',
      header: p('deadline'),
      choice: 'shown',
      dropOrder: 2,
      cell: ({ ended_at: ended, deadline_at: at }) => (ended === null ? <When at={at} as="date-time" /> : '–'),
    },
    {
      key: 'created',
      header: p('created'),
      choice: 'shown',
      dropOrder: 1,
      phone: 'note',
      cell: ({ created_at: at }) => <When at={at} />,
    },
    { key: 'id', header: p('batch'), choice: 'hidden', dropOrder: 4, cell: ({ id }) => id },
  ];
}

function NoOwnBatches() {
  const p = usePageText(texts);
  const { data: models } = useModels();
  const [first] = models?.data ?? [];
  const code = models && (
    <CodeBlock
      remembered="client"
      snippets={[
        { name: 'OpenAI SDK', variant: 'Python', code: batchSnippet('python', models.base_urls.openai, first?.id) },
        { name: 'curl', code: batchSnippet('curl', models.base_urls.openai, first?.id) },
      ]}
    />
  );
  return <EmptyState icon={<BatchesIcon size={22} />} title={p('emptyTitle')} text={p('emptyText')} code={code} />;
}

function NoBatchesAtAll() {
  const p = usePageText(texts);
  const terminal = usePageText(tableTexts)('terminal');
  return (
    <EmptyState
      icon={<BatchesIcon size={22} />}
      title={p('emptyTitle')}
      text={p('operatorEmptyText')}
      code={<CodeBlock snippets={[{ name: terminal, code: 'chat-gateway batches list' }]} />}
    />
  );
}
