import { Button, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Pages } from '../api/queries.ts';
import { ChevronIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';
import classes from './data-table.module.css';
import { ErrorNotice } from './error-notice.tsx';

export interface Column<Row> {
  readonly key: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** For numbers, money and durations. */
  readonly align?: 'right';
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean;
  readonly width?: number | string;
  /** Makes the header a button that sorts the rows. */
  readonly order?: ColumnOrder | undefined;
}

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
  readonly empty: ReactNode;
}

/** A list with a skeleton while loading, an empty state, and a button for the next page. Shows cards on a phone. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, pages, empty } = props;
  return (
    <PagedList pages={pages} empty={empty} countedFrom={20}>
      {(rows) => (
        <div className={classes['scroll']}>
          <table role="table" className={classes['table']} aria-label={label} aria-busy={!rows}>
            <thead role="rowgroup">
              <tr role="row">
                {columns.map((column) => (
                  <Head key={column.key} column={column} />
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows
                ? rows.map((row) => <TableRow key={props.rowKey(row)} row={row} {...props} />)
                : skeletonRows.map((key) => <SkeletonRow key={key} columns={columns} />)}
            </tbody>
          </table>
        </div>
      )}
    </PagedList>
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

function Head<Row>({ column }: { readonly column: Column<Row> }) {
  const { header, order } = column;
  // Without a text this is a plain cell: a screen reader would announce an empty header.
  if (header === '') return <td role="cell" {...look(column)} />;
  return (
    <th role="columnheader" scope="col" aria-sort={order && (order.now ?? 'none')} {...look(column)}>
      {order ? (
        <button type="button" className={classes['order']} data-now={order.now} onClick={order.choose}>
          {header}
          <ChevronIcon size={14} />
        </button>
      ) : (
        header
      )}
    </th>
  );
}

export const skeletonRows = ['1', '2', '3', '4', '5', '6'];

function TableRow<Row>(props: DataTableProps<Row> & { readonly row: Row }) {
  const { row, columns, rowLink, rowSearch, isNew, rowDetails } = props;
  const [isOpen, { toggle }] = useDisclosure(false);
  const firstCell = (content: ReactNode) => {
    if (rowDetails)
      return (
        <button type="button" className={classes['toggle']} aria-expanded={isOpen} onClick={toggle}>
          <ChevronIcon size={16} />
          {content}
        </button>
      );
    if (!rowLink) return content;
    return (
      <Link to={rowLink(row)} {...(rowSearch && { search: rowSearch })} className={classes['link']}>
        {content}
      </Link>
    );
  };
  return (
    <>
      <tr role="row" className={rowLink && classes['linked']} data-new={isNew?.(row) || undefined}>
        {columns.map((column, index) => (
          <td key={column.key} role="cell" data-label={column.header} {...look(column)}>
            {index === 0 ? firstCell(column.cell(row)) : column.cell(row)}
          </td>
        ))}
      </tr>
      {isOpen && rowDetails && (
        <tr role="row">
          <td role="cell" colSpan={columns.length} className={classes['details']}>
            {rowDetails(row)}
          </td>
        </tr>
      )}
    </>
  );
}

function SkeletonRow<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <tr role="row">
      {columns.map((column) => (
        <td key={column.key} role="cell" {...look(column)}>
          <Skeleton height={14} width="70%" my={3} ml={column.align === 'right' ? 'auto' : 0} />
        </td>
      ))}
    </tr>
  );
}

function look<Row>({ align, wideOnly, width }: Column<Row>) {
  const names = [align === 'right' && classes['right'], wideOnly && classes['wideOnly']];
  return { className: names.filter(Boolean).join(' ') || undefined, ...(width !== undefined && { style: { width } }) };
}
