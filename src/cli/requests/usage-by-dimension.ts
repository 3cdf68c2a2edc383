import colors from 'picocolors';
import { hourOf } from '../../core/time/calendar-day.ts';
import { byMember, nameOf, type UsageDimension, valueNames } from '../../admin/usage/usage-figures.ts';
import { decimalText } from '../../core/money.ts';
import { catchUp } from '../../requests/rollups/rollup-worker.ts';
import { addSums, type RollupSums } from '../../requests/rollups/usage-sums.ts';
import { noSums, type RollupLine, rollupTable } from '../../requests/rollups/usage-rollups.ts';
import type { Store } from '../../store/store.ts';
import { type Cell, table } from '../output.ts';

/** Groupings of usage in addition to hour, day, model and key. */
export const dimensionGroupings = [
  'account',
  'member',
  'user',
  'upstream',
  'status',
  'error',
] as const satisfies readonly UsageDimension[];
export type DimensionGrouping = (typeof dimensionGroupings)[number];

interface DimensionQuery {
  readonly accountId: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly by: DimensionGrouping;
}

export interface DimensionLine extends RollupLine {
  readonly name: string | undefined;
}

export interface UsageLines {
  readonly lines: readonly DimensionLine[];
  readonly total: RollupSums;
}

const linesMax = 1000;

/** Reads usage along one dimension, highest cost first. */
export async function usageLinesOf(store: Store, { accountId, from, to, by }: DimensionQuery): Promise<UsageLines> {
  await catchUp(store);
  const query = { accountId, by: by === 'member' ? ('key' as const) : by, from: hourOf(from), to };
  const { lines, totals } = await rollupTable(store, query, {
    limit: linesMax,
    order: 'cost',
    points: { interval: 'hour' },
  });
  const found = by === 'member' ? await byMember(store, lines, 'cost') : lines;
  const names = await valueNames(store, by, found);
  const total = noSums();
  for (const sums of totals.values()) addSums(total, sums);
  return { total, lines: found.map((line) => ({ ...line, name: names.get(nameOf(line.value)) })) };
}

/** One line of the JSON document. */
export function dimensionDocument({ value, name, sums }: DimensionLine) {
  return { kind: value.kind, value: value.kind === 'value' ? value.value : null, name: name ?? null, ...figures(sums) };
}

export function figures(sums: RollupSums) {
  const { cost, provider_cost: providerCost, costed, ...counts } = sums;
  return {
    ...counts,
    cost: decimalText(cost),
    provider_cost: decimalText(providerCost),
    margin: decimalText(costed - providerCost),
  };
}

/** Renders usage as a table with a total. */
export function dimensionTable(by: DimensionGrouping, { lines, total }: UsageLines): string {
  const head = [by, 'requests', 'failed', 'tokens in', 'cached', 'tokens out', 'cost', 'provider cost', 'margin'];
  const rows = lines.map((line) => [lineText(line), ...cells(line.sums)]);
  const sum = ['total', ...cells(total)].map((text): Cell => ({ text, paint: colors.bold }));
  const more = lines.length === linesMax ? `\nOnly the first ${linesMax} lines are shown. The total includes all.` : '';
  return table(head, [...rows, sum]) + more;
}

function lineText({ value, name }: DimensionLine): string {
  if (value.kind === 'value') return name ?? value.value;
  return value.kind === 'none' ? '(none)' : '(other)';
}

function cells(sums: RollupSums): string[] {
  const counts = [sums.requests, sums.errors, sums.prompt_tokens, sums.cached_tokens, sums.completion_tokens];
  const money = [sums.cost, sums.provider_cost, sums.costed - sums.provider_cost];
  return [...counts.map((count) => count.toLocaleString('en-US')), ...money.map(decimalText)];
}
