import type { ReactNode } from 'react';

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
