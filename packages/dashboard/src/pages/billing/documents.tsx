import { Anchor, Button, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePages } from '../../api/queries.ts';
import type { BillingDocument } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useDownload } from '../../components/export-button.tsx';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { When } from '../../components/when.tsx';
import { FileIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { texts } from './document-texts.ts';

/** The documents of the user's account, under a heading. */
export function OwnDocuments() {
  const p = usePageText(texts);
  return (
    <>
      <Title order={2} mt={40} mb="sm">
        {p('documents')}
      </Title>
      <Documents path="/account/v1/documents" />
    </>
  );
}

/** Receipts, credit notes and statements, newest first. `path` is the API path of the list. */
export function Documents({ path }: { readonly path: string }) {
  const { t } = useText();
  const p = usePageText(texts);
  const monthName = useMonthName();
  const pages = usePages<BillingDocument>(path, {});
  const kindText = ({ kind, reference }: BillingDocument) =>
    kind === 'statement' || kind === 'bill' ? p(kind, { month: monthName(reference) }) : p(kind);
  const columns: readonly Column<BillingDocument>[] = [
    { key: 'number', header: p('number'), cell: ({ number }) => number },
    { key: 'kind', header: p('kind'), cell: kindText },
    { key: 'issued', header: p('issued'), cell: ({ issued_at: at }) => <When at={at} as="date" /> },
    {
      key: 'amount',
      header: t('billing.amount'),
      align: 'right',
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      key: 'file',
      header: p('file'),
      align: 'right',
      width: 110,
      cell: ({ number }) => <DocumentButton list={path} number={number} />,
    },
  ];
  return (
    <DataTable
      label={p('documents')}
      columns={columns}
      pages={pages}
      rowKey={({ number }) => number}
      empty={<EmptyState icon={<FileIcon size={22} />} title={p('emptyTitle')} text={p('emptyText')} />}
    />
  );
}

interface DocumentFileProps {
  /** A path of the API of the account or of operators. */
  readonly list: string;
  readonly number: string;
}

function DocumentButton({ list, number }: DocumentFileProps) {
  const p = usePageText(texts);
  const { isBusy, save } = useDocumentFile({ list, number });
  return (
    <Button variant="default" size="compact-sm" loading={isBusy} aria-label={p('download', { number })} onClick={save}>
      PDF
    </Button>
  );
}

/** The number of a document. A click downloads it. */
export function DocumentLink({ list, number }: DocumentFileProps) {
  const p = usePageText(texts);
  const { save } = useDocumentFile({ list, number });
  return (
    <Anchor component="button" type="button" inherit title={p('download', { number })} onClick={save}>
      {number}
    </Anchor>
  );
}

/** The button that downloads the document of a page. */
export function DownloadDocument({ list, number }: DocumentFileProps): ReactNode {
  const p = usePageText(texts);
  const { isBusy, save } = useDocumentFile({ list, number });
  return (
    <Button leftSection={<FileIcon size={16} />} loading={isBusy} onClick={save}>
      {p('downloadPdf')}
    </Button>
  );
}

/** Saves a document as PDF in the language of the user. */
function useDocumentFile({ list, number }: DocumentFileProps) {
  const { language } = useText();
  const { isBusy, save } = useDownload();
  const base = list.startsWith('/account/') ? '/account/v1/documents' : '/admin/v1/documents';
  const path = `${base}/${encodeURIComponent(number)}/pdf`;
  return { isBusy, save: () => void save(path, { language }, `${number}.pdf`) };
}
