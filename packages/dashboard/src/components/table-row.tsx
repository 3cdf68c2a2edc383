import { Checkbox, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChevronIcon } from '../icons.tsx';
import { usePageText } from '../text/page-text.ts';
import { Clip } from './clip.tsx';
import classes from './data-table.module.css';
import type { Column } from './table-column.ts';
import type { SelectedRows } from './table-selection.ts';
import { texts } from './table-texts.ts';

/** The rows of a table: their identity, links and details. */
export interface RowTerms<Row> {
  readonly rowKey: (row: Row) => string;
  /** The target of a click on a row. The first column becomes the link. */
  readonly rowLink?: (row: Row) => string;
  /** The query parameters that a linked page keeps for the way back. */
  readonly rowSearch?: Readonly<Record<string, string>>;
  /** Whether a row has just arrived; it is highlighted briefly. */
  readonly isNew?: (row: Row) => boolean;
  /** More about a row, below it. The first column becomes the button that shows and hides it. */
  readonly rowDetails?: (row: Row) => ReactNode;
}

/** The checkboxes of a table. Undefined if its rows cannot be selected. */
type Marked<Row> =
  | { readonly selected: SelectedRows<Row>; readonly nameOf: (row: Row) => string; readonly count: number }
  | undefined;

interface HeadRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly marked: Marked<Row>;
}

export function HeadRow<Row>({ columns, marked }: HeadRowProps<Row>) {
  const p = usePageText(texts);
  const selectedCount = marked?.selected.rows.length ?? 0;
  return (
    <tr role="row">
      {marked && (
        <td role="cell" className={classes['mark']}>
          <Checkbox
            size="xs"
            aria-label={p('selectAll')}
            disabled={marked.count === 0}
            checked={selectedCount > 0 && selectedCount === marked.count}
            indeterminate={selectedCount > 0 && selectedCount < marked.count}
            onChange={({ currentTarget }) => marked.selected.toggleAll(currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column, index) => (
        <Head key={column.key} column={column} isLead={index === 0} />
      ))}
    </tr>
  );
}

function Head<Row>({ column, isLead }: { readonly column: Column<Row>; readonly isLead: boolean }) {
  const { header, order } = column;
  // Without a text this is a plain cell: a screen reader would announce an empty header.
  if (header === '') return <td role="cell" {...look(column, isLead)} />;
  return (
    <th role="columnheader" scope="col" aria-sort={order && (order.now ?? 'none')} {...look(column, isLead)}>
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

interface TableRowProps<Row> extends RowTerms<Row>, HeadRowProps<Row> {
  readonly row: Row;
}

export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, columns, rowKey, rowLink, rowSearch, isNew, rowDetails, marked } = props;
  const [isOpen, { toggle }] = useDisclosure(false);
  const isSelected = marked?.selected.has(rowKey(row));
  const firstCell = (content: ReactNode) => {
    if (rowDetails)
      return (
        <button type="button" className={classes['toggle']} aria-expanded={isOpen} onClick={toggle}>
          <ChevronIcon size={16} />
          {content}
        </button>
      );
    if (!rowLink) return cut(content);
    const link = (
      <Link to={rowLink(row)} {...(rowSearch && { search: rowSearch })} className={classes['link']}>
        {content}
      </Link>
    );
    return typeof content === 'string' ? <Clip>{link}</Clip> : link;
  };
  return (
    <>
      <tr
        role="row"
        className={rowLink && classes['linked']}
        data-new={isNew?.(row) || undefined}
        data-selected={isSelected || undefined}
      >
        {marked && <Mark row={row} rowKey={rowKey} marked={marked} />}
        {columns.map((column, index) => (
          <td key={column.key} role="cell" data-label={column.header} {...look(column, index === 0)}>
            {index === 0 ? firstCell(column.cell(row)) : cut(column.cell(row))}
          </td>
        ))}
      </tr>
      {isOpen && rowDetails && (
        <tr role="row">
          <td role="cell" colSpan={columns.length + (marked ? 1 : 0)} className={classes['details']}>
            {rowDetails(row)}
          </td>
        </tr>
      )}
    </>
  );
}

interface MarkProps<Row> extends Pick<RowTerms<Row>, 'rowKey'> {
  readonly row: Row;
  readonly marked: NonNullable<Marked<Row>>;
}

/** The checkbox of a row. With the shift key it also changes the rows between this one and the last one. */
function Mark<Row>({ row, rowKey, marked }: MarkProps<Row>) {
  const p = usePageText(texts);
  const key = rowKey(row);
  return (
    <td role="cell" className={classes['mark']}>
      <Checkbox
        size="xs"
        aria-label={p('select', { name: marked.nameOf(row) })}
        checked={marked.selected.has(key)}
        onChange={({ currentTarget, nativeEvent }) => {
          const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
          marked.selected.toggle(key, currentTarget.checked, isRange);
        }}
      />
    </td>
  );
}

/** Cuts a plain text to one line. */
function cut(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <Clip>{content}</Clip> : content;
}

interface SkeletonRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly isMarkable: boolean;
}

export function SkeletonRow<Row>({ columns, isMarkable }: SkeletonRowProps<Row>) {
  return (
    <tr role="row">
      {isMarkable && <td role="cell" className={classes['mark']} />}
      {columns.map((column, index) => (
        <td key={column.key} role="cell" {...look(column, index === 0)}>
          <Skeleton height={14} width="70%" my={3} ml={column.align === 'right' ? 'auto' : 0} />
        </td>
      ))}
    </tr>
  );
}

function look<Row>({ align, wideOnly, width, minWidth, phone }: Column<Row>, isLead: boolean) {
  const names = [isLead && classes['lead'], align === 'right' && classes['right'], wideOnly && classes['wideOnly']];
  return {
    className: names.filter(Boolean).join(' ') || undefined,
    'data-phone': phone,
    ...((width ?? minWidth) !== undefined && { style: { width, minWidth } }),
  };
}
