import type { FindingList } from './findings.ts';
import { rowsIn, type TableReader } from './table-reader.ts';

/** Rows of a table that is not taken, and their content. */
export interface LostRows {
  readonly table: string;
  readonly rows: number;
  readonly what: string;
}

/** Counts the rows of these tables. `contents`: what each table has, by its name. */
export async function lostRows(
  reader: TableReader | undefined,
  contents: Readonly<Record<string, string>>,
): Promise<readonly LostRows[]> {
  const lost: LostRows[] = [];
  for (const [table, what] of Object.entries(contents)) {
    const { length: rows } = reader ? await rowsIn(reader, table) : [];
    if (rows > 0) lost.push({ table, rows, what });
  }
  return lost;
}

export function reportLost(lost: readonly LostRows[], findings: FindingList): void {
  for (const { table, rows, what } of lost)
    findings.add('table_not_taken', { kind: 'table', sourceId: table }, { rows, what });
}
