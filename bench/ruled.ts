import { columns } from '../src/cli/columns.ts';

/** A table with its headings in the first row, without colours, so that a report can be pasted. */
export function ruled(rows: readonly (readonly (string | number)[])[]): string {
  return columns(rows, ' │ ');
}
