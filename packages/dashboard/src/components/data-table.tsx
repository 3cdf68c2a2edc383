import { Button, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Pages } from '../api/queries.ts';
import { useText } from '../text/text.tsx';
import { TableWidth } from './clip.tsx';
import type BulkBarOf from './bulk-bar.tsx';
import classes from './data-table.module.css';
import { ErrorNotice } from './error-notice.tsx';
import type { Column } from './table-column.ts';
import { HeadRow, type RowTerms, SkeletonRow, TableRow } from './table-row.tsx';
import { type TableSelection, useSelectedRows } from './table-selection.ts';
import { type TableView, useDensity, useFittingColumns } from './table-view.ts';

export type { Column, ColumnOrder } from './table-column.ts';

export interface DataTableProps<Row> extends RowTerms<Row> {
  /** A description of the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly pages: Pages<Row>;
  /** The columns that the user chose, from `useTableView`. */
  readonly view?: TableView;
  /** Adds checkboxes and actions on the selected rows. */
  readonly selection?: TableSelection<Row> | undefined;
  readonly empty: ReactNode;
}

// `lazy` loses the type parameter.
const BulkBar = lazy(() => import('./bulk-bar.tsx')) as unknown as typeof BulkBarOf;

/** A list with a skeleton while loading, an empty state, and a button for the next page. Shows cards on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { pages, empty } = props;
  return (
    <PagedList pages={pages} empty={empty} countedFrom={20}>
      {(rows) => <Rows {...props} rows={rows} />}
    </PagedList>
  );
}

function Rows<Row>(props: DataTableProps<Row> & { readonly rows: readonly Row[] | undefined }) {
  const { label, rows, rowKey, selection, view } = props;
  const [density] = useDensity();
  const { scroll, shown, width, isTooWide } = useFittingColumns(props.columns, view);
  const selected = useSelectedRows(rows, rowKey);
  const marked = selection && { selected, nameOf: selection.nameOf, count: rows?.length ?? 0 };
  const isTwoLined = props.columns.some(({ phone }) => phone !== undefined);
  return (
    <TableWidth value={width}>
      <div ref={scroll} className={classes['scroll']} data-too-wide={isTooWide || undefined}>
        <table
          role="table"
          className={classes['table']}
          data-density={density}
          data-two-lined={isTwoLined || undefined}
          aria-label={label}
          aria-busy={!rows}
        >
          <thead role="rowgroup">
            <HeadRow columns={shown} marked={marked} />
          </thead>
          <tbody role="rowgroup">
            {rows
              ? rows.map((row) => <TableRow key={rowKey(row)} {...props} row={row} columns={shown} marked={marked} />)
              : skeletonRows.map((key) => (
                  <SkeletonRow key={key} columns={shown} isMarkable={selection !== undefined} />
                ))}
          </tbody>
        </table>
      </div>
      {selection && selected.rows.length > 0 && (
        <Suspense>
          <BulkBar {...selection} rows={selected.rows} onClear={() => selected.toggleAll(false)} />
        </Suspense>
      )}
    </TableWidth>
  );
}

interface PagedListProps<Row> {
  readonly pages: Pages<Row>;
  readonly empty: ReactNode;
  /** With fewer rows and no further page, no count is shown. */
  readonly countedFrom: number;
  /** Renders the rows. They are undefined while loading. */
  readonly children: (rows: readonly Row[] | undefined) => ReactNode;
}

/** The box of a list: its rows, its error or empty state, its count, and a button for the next page. */
export function PagedList<Row>({ pages, empty, countedFrom, children }: PagedListProps<Row>) {
  const { t } = useText();
  const { rows } = pages;
  if (pages.error && !rows) return <ErrorNotice error={pages.error} onRetry={pages.retry} />;
  if (rows?.length === 0) return <div className={classes['box']}>{empty}</div>;
  return (
    <div className={classes['box']}>
      {children(rows)}
      {rows && (pages.hasMore || rows.length >= countedFrom) && (
        <div className={classes['foot']}>
          <Text fz="sm" c="dimmed">
            {t('common.rows', { count: rows.length })}
          </Text>
          {pages.hasMore && (
            <Button size="xs" variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
              {t('common.loadMore')}
            </Button>
          )}
        </div>
      )}
      {pages.error && rows && <ErrorNotice error={pages.error} onRetry={pages.retry} />}
    </div>
  );
}

/** Few: most tables above other content have few rows, and that content must not move far. */
export const skeletonRows = ['1', '2', '3'];
