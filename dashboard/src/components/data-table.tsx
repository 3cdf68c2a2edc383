import { Button, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Pages } from '../api/queries.ts';
import { useText } from '../text/text.tsx';
import { TableWidth } from './clip.tsx';
import classes from './data-table.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { HeadRow, SkeletonRow, TableRow } from './table-row.tsx';
import { type TableSelection, useSelectedRows } from './table-selection.ts';
import { type TableView, useDensity, useFittingColumns } from './table-view.ts';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  /** A plain text is cut to one line. For other content use `Clip`. */
  readonly cell: (row: Row) => ReactNode;
  /** For numbers, money and durations. */
  readonly align?: 'right';
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean;
  readonly width?: number | string;
  /** Default: 168 pixels for the first column. */
  readonly minWidth?: number;
  /** Makes the header a button that sorts the rows. */
  readonly order?: ColumnOrder | undefined;
  /** The user can show and hide the column in the `ViewMenu`. This is the state before the user does. */
  readonly choice?: 'shown' | 'hidden';
  /** If the table has no room, columns with the highest number are left out first. Columns without one stay. */
  readonly dropOrder?: number;
  /** The place in the two lines of a row on a phone. If any column has one, the others are not shown there. */
  readonly phone?: PhonePlace;
}

/** First line: `lead`, then `trail` at the end. Second line: `state`, `note`, then `end`. Beside both: `menu`. */
export type PhonePlace = 'lead' | 'trail' | 'state' | 'note' | 'end' | 'menu';

export interface ColumnOrder {
  /** The current sort direction, if the rows are sorted by this column. */
  readonly now: 'ascending' | 'descending' | undefined;
  readonly choose: () => void;
}

export interface DataTableProps<Row> {
  /** A description of the rows for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly pages: Pages<Row>;
  readonly rowKey: (row: Row) => string;
  /** The target of a click on a row. The first column becomes the link. */
  readonly rowLink?: (row: Row) => string;
  /** The query parameters that a linked page keeps for the way back. */
  readonly rowSearch?: Readonly<Record<string, string>>;
  /** Whether a row has just arrived; it is highlighted briefly. */
  readonly isNew?: (row: Row) => boolean;
  /** More about a row, below it. The first column becomes the button that shows and hides it. */
  readonly rowDetails?: (row: Row) => ReactNode;
  /** The columns that the user chose, from `useTableView`. */
  readonly view?: TableView;
  /** Adds checkboxes and actions on the selected rows. Not on a phone. */
  readonly selection?: TableSelection<Row> | undefined;
  readonly empty: ReactNode;
}

const BulkBar = lazy(() => import('./bulk-bar.tsx')) as unknown as typeof import('./bulk-bar.tsx').default;

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

export const skeletonRows = ['1', '2', '3', '4', '5', '6'];
