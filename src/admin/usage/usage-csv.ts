import { catchUp } from '../../requests/rollups/rollup-worker.ts';
import type { RollupValue } from '../../requests/rollups/rollup-dimensions.ts';
import { addSums, type RollupSums } from '../../requests/rollups/usage-sums.ts';
import { noSums, type RollupLine, rollupPoints } from '../../requests/rollups/usage-rollups.ts';
import { csvLine, escapeFormula } from '../api/csv.ts';
import type { AdminParts } from '../parts.ts';
import { operatorFiguresOf, ownFiguresOf } from './usage-documents.ts';
import { byMember, nameOf, type UsageRequest, valueNames } from './usage-figures.ts';
import type { UsagePoint, UsageSpan } from './usage-points.ts';
import { isoTime } from '../api/wire.ts';

/** Maximum number of points in memory, for any table size and reading speed. */
const pointsPerRead = 24;

const ownColumns = Object.keys(ownFiguresOf(noSums()));
const operatorColumns = Object.keys(operatorFiguresOf(noSums()));

export interface UsageTable {
  readonly request: Pick<UsageRequest, 'accountId' | 'by'>;
  readonly span: UsageSpan;
  /** Whether it includes the provider cost. */
  readonly withCost: boolean;
}

/** One row for each value and point with usage, oldest first, as pieces of RFC 4180 CSV. */
export async function* usageCsv(parts: AdminParts, table: UsageTable): AsyncGenerator<string> {
  const { span, request, withCost } = table;
  await catchUp(parts.store);
  const columns = withCost ? operatorColumns : ownColumns;
  let text = `${csvLine(['from', 'until', request.by, 'kind', 'name', ...columns, 'currency'])}\r\n`;
  for (let first = 0; first < span.points.length; first += pointsPerRead) {
    const points = span.points.slice(first, first + pointsPerRead);
    for (const { point, lines, names } of await linesWithin(parts, table, points)) {
      for (const line of lines) text += `${rowOf({ point, line, names, withCost, currency: parts.currency() })}\r\n`;
    }
    yield text;
    text = '';
  }
}

interface PointLines {
  readonly point: UsagePoint;
  readonly lines: readonly RollupLine[];
  readonly names: ReadonlyMap<string, string>;
}

async function linesWithin(
  { store }: AdminParts,
  { request: { accountId, by }, span }: UsageTable,
  points: readonly UsagePoint[],
): Promise<readonly PointLines[]> {
  const [from, to] = [points[0]?.at ?? span.from, points.at(-1)?.until ?? span.to];
  const query = { accountId, by: by === 'member' ? ('key' as const) : by, from, to };
  const found = await rollupPoints(store, query, span.grouping);
  const names = await valueNames(store, by, found);
  const lines = new Map<number, Map<string, { readonly value: RollupValue; readonly sums: RollupSums }>>();
  for (const { point, value, sums } of found) {
    const index = span.pointOf(point);
    const atPoint = lines.get(index) ?? new Map();
    const line = atPoint.get(nameOf(value)) ?? { value, sums: noSums() };
    addSums(line.sums, sums);
    lines.set(index, atPoint.set(nameOf(value), line));
  }
  const ofPoints: PointLines[] = [];
  for (const [index, atPoint] of [...lines].sort(([one], [other]) => one - other)) {
    const point = span.points[index];
    const values = [...atPoint.values()];
    if (point) ofPoints.push({ point, names, lines: by === 'member' ? await byMember(store, values, 'cost') : values });
  }
  return ofPoints;
}

interface CsvRow {
  readonly point: UsagePoint;
  readonly line: RollupLine;
  readonly names: ReadonlyMap<string, string>;
  readonly withCost: boolean;
  readonly currency: string;
}

function rowOf({ point, line: { value, sums }, names, withCost, currency }: CsvRow): string {
  const text = value.kind === 'value' ? value.value : '';
  const figures = Object.values(withCost ? operatorFiguresOf(sums) : ownFiguresOf(sums));
  const name = names.get(nameOf(value)) ?? '';
  return csvLine([
    isoTime(point.at),
    isoTime(point.until),
    escapeFormula(text),
    value.kind,
    escapeFormula(name),
    ...figures.map((figure) => String(figure ?? '')),
    currency,
  ]);
}
