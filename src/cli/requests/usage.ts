import { type Command, Option } from 'commander';
import { colors } from '../colors.ts';
import type { Account } from '../../money/accounts/accounts.ts';
import { keys } from '../../money/accounts/keys.ts';
import {
  byMember,
  requireScope,
  rollupDimension,
  type UsageDimension,
  type ValueNames,
  valueNames,
} from '../../manage/admin/usage/usage-figures.ts';
import { percentilesDocument } from '../../manage/admin/usage/percentile-documents.ts';
import { systemClock } from '../../core/time/clock.ts';
import { decimalText } from '../../core/money.ts';
import type { Store } from '../../platform/store/store.ts';
import { accountOf } from '../accounts/account-of.ts';
import { withStore } from '../context.ts';
import { timeOf } from '../terminal/option-values.ts';
import { answer, type Cell, table } from '../terminal/output.ts';
import { lengthText } from '../terminal/time-text.ts';
import { dayMs, hourOf } from '../../core/time/calendar-day.ts';
import { type Histograms, percentilesOf } from '../../money/requests/rollups/histograms.ts';
import { type Dimension, plainNameOf } from '../../money/requests/rollups/rollup-dimensions.ts';
import { catchUp } from '../../money/requests/rollups/rollup-worker.ts';
import { addSums, noSums, type RollupSums } from '../../money/requests/rollups/usage-sums.ts';
import { type RollupLine, rollupTable } from '../../money/requests/rollups/usage-rollups.ts';

interface UsageOptions {
  readonly account?: string;
  readonly from: string;
  readonly to?: string;
  readonly by: UsageGrouping | DimensionGrouping;
}

export function registerUsage(program: Command): void {
  program
    .command('usage')
    .option('--account <account>', 'account, by name or id; default: all accounts')
    .option('--from <time>', 'start: an age such as 7d, 2026-11-01 or 2026-11-01T08:00Z, in whole hours', '30d')
    .option('--to <time>', 'end; default: now')
    .addOption(
      new Option('--by <grouping>', 'grouping').choices([...usageGroupings, ...dimensionGroupings]).default('day'),
    )
    .description('Show usage and cost. Hours and days are UTC.')
    .action(show);
}

async function show({ account: reference, by, ...span }: UsageOptions, command: Command): Promise<void> {
  const now = systemClock.now();
  const from = timeOf(span.from, now);
  const to = span.to === undefined ? now : timeOf(span.to, now);
  await withStore(command, async (store, { storeName }) => {
    const account = reference === undefined ? undefined : await accountOf(store, reference);
    const head = {
      account: account?.name ?? null,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      by,
    };
    if (!isSummaryGrouping(by)) {
      requireScope(account?.id, by);
      const usage = await usageLinesOf(store, { accountId: account?.id, from, to, by });
      answer(command, {
        json: { ...head, lines: usage.lines.map(dimensionDocument), total: figures(usage.total) },
        text: () => (usage.lines.length === 0 ? 'No usage in this period.' : dimensionTable(by, usage)),
      });
      return;
    }
    const { lines, total } = await usageSummary(store, { accountId: account?.id, from, to, by });
    const names = by === 'key' ? await keyNames(store, account) : new Map<string, string>();
    const none = `No usage in ${storeName} in this period.\nUsage appears here shortly after a request was answered, and is kept for \`requests.usage_retention\`.`;
    answer(command, {
      json: {
        ...head,
        lines: lines.map(({ group, sums }) => ({ group, ...figures(sums) })),
        total: figures(total),
      },
      text: () => (lines.length === 0 ? none : usageTable(by, lines, total, names) + streamWarning(by, lines, total)),
    });
  });
}

const usageGroupings = ['hour', 'day', 'model', 'key'] as const;
type UsageGrouping = (typeof usageGroupings)[number];

interface UsageQuery<Grouping> {
  readonly accountId: string | undefined;
  /** The hours that contain these times are the first and the last one. */
  readonly from: number;
  readonly to: number;
  readonly by: Grouping;
}

interface UsageLine {
  /** Start of the hour or day (UTC) in ISO 8601, the catalog id (empty: unknown model), or the key's id. */
  readonly group: string;
  readonly sums: RollupSums;
}

/** Reads usage along a dimension, highest cost first. The totals include lines beyond the limit. */
async function readUsage(store: Store, { by, from, ...query }: UsageQuery<Dimension>, limit: number, isByDay = false) {
  await catchUp(store);
  const points = isByDay ? ({ interval: 'day', offsets: [] } as const) : ({ interval: 'hour' } as const);
  const terms = { limit, order: 'cost', points } as const;
  const { lines, totals } = await rollupTable(store, { ...query, from: hourOf(from), by }, terms);
  const total = noSums();
  for (const sums of totals.values()) addSums(total, sums);
  return { lines, totals, total };
}

const summaryMax = 10_000;

/** Hours and days in order, models and keys by cost. */
async function usageSummary(store: Store, { by, ...query }: UsageQuery<UsageGrouping>) {
  if (by === 'model' || by === 'key') {
    const { lines, total } = await readUsage(store, { ...query, by }, summaryMax);
    return { lines: lines.map(({ value, sums }): UsageLine => ({ group: plainNameOf(value), sums })), total };
  }
  const isByDay = by === 'day';
  // Totals are read along the dimension with the fewest values.
  const { totals, total } = await readUsage(store, { ...query, by: 'status' }, 0, isByDay);
  const startOf = (point: number) => new Date(isByDay ? point * dayMs : point).toISOString();
  const lines = Array.from(totals, ([point, sums]): UsageLine => ({ group: startOf(point), sums }));
  return { lines: lines.slice(0, summaryMax), total };
}

function isSummaryGrouping(by: UsageOptions['by']): by is UsageGrouping {
  return (usageGroupings as readonly string[]).includes(by);
}

async function keyNames(store: Store, account: Account | undefined): Promise<ReadonlyMap<string, string>> {
  const all = await keys(store, systemClock).list({ accountId: account?.id });
  return new Map(all.map(({ id, name, display }) => [id, `${name} (${display})`]));
}

function usageTable(
  by: UsageGrouping,
  lines: readonly UsageLine[],
  total: RollupSums,
  names: ReadonlyMap<string, string>,
): string {
  const rows = lines.map((line) => [groupText(by, line.group, names), ...figureCells(line.sums)]);
  const head = [by, 'requests', 'failed', 'tokens in', 'cached', 'tokens out', 'cost', 'first token'];
  return tableWithTotal(head, rows, figureCells(total), summaryMax);
}

function tableWithTotal(head: string[], rows: string[][], total: string[], max: number): string {
  const sum = ['total', ...total].map((text): Cell => ({ text, paint: colors.bold }));
  const more = rows.length === max ? `\nOnly the first ${max} lines are shown. The total includes all.` : '';
  return table(head, [...rows, sum]) + more;
}

/** A client that cannot read a stream retries, and every retry is charged: warn the operator. */
function streamWarning(
  by: UsageGrouping,
  lines: readonly UsageLine[],
  { unwanted_streams: unwanted }: RollupSums,
): string {
  if (unwanted === 0) return '';
  const requests = unwanted === 1 ? '1 request' : `${unwanted.toLocaleString('en-US')} requests`;
  const warning = `${requests} asked for one JSON body and got a stream. Clients that cannot read a stream retry, and every retry is charged.`;
  const found = lines.filter(({ sums }) => sums.unwanted_streams > 0).slice(0, warnedMax);
  const commands = found.map(({ group }) => `  chat-gateway keys change ${group} --honour-stream-false`);
  const next =
    by === 'key' ? `Return one body for their keys:\n${commands.join('\n')}` : 'Add --by key to see their keys.';
  return `\n\n${colors.yellow(warning)}\n${next}`;
}

const warnedMax = 10;

function groupText(by: UsageGrouping, group: string, names: ReadonlyMap<string, string>): string {
  switch (by) {
    case 'hour':
      return group.slice(0, 16).replace('T', ' ');
    case 'day':
      return group.slice(0, 10);
    case 'model':
      return group || '(unknown model)';
    case 'key':
      return names.get(group) ?? group;
    default:
      return by satisfies never;
  }
}

function figureCells(sums: RollupSums): string[] {
  const counts = [sums.requests, sums.errors, sums.prompt_tokens, sums.cached_tokens, sums.completion_tokens];
  return [
    ...counts.map((count) => count.toLocaleString('en-US')),
    decimalText(sums.cost),
    firstTokenText(sums.histograms),
  ];
}

/** The median time to the first token. */
function firstTokenText(histograms: Histograms): string {
  const { p50 } = percentilesOf(histograms).first_token_ms;
  return p50 === null ? '-' : lengthText(p50);
}

/** Groupings of usage in addition to hour, day, model and key. */
const dimensionGroupings = [
  'account',
  'member',
  'user',
  'tag',
  'upstream',
  'status',
  'error',
] as const satisfies readonly UsageDimension[];
type DimensionGrouping = (typeof dimensionGroupings)[number];

type DimensionLine = RollupLine & ReturnType<ValueNames>;

interface UsageLines {
  readonly lines: readonly DimensionLine[];
  readonly total: RollupSums;
}

const linesMax = 1000;

async function usageLinesOf(store: Store, { by, ...query }: UsageQuery<DimensionGrouping>): Promise<UsageLines> {
  const { lines, total } = await readUsage(store, { ...query, by: rollupDimension(by) }, linesMax);
  const found = by === 'member' ? await byMember(store, lines, 'cost') : lines;
  const namesOfValue = await valueNames(store, by, found);
  return { total, lines: found.map((line) => ({ ...line, ...namesOfValue(line.value) })) };
}

function dimensionDocument({ value, name, accountName, sums }: DimensionLine) {
  const [text, accountId] = value.kind === 'value' ? [value.value, value.accountId] : [null, undefined];
  const named = { kind: value.kind, value: text, name: name ?? null };
  return { ...named, account_id: accountId ?? null, account_name: accountName ?? null, ...figures(sums) };
}

function figures(sums: RollupSums) {
  const { cost, provider_cost: providerCost, costed, histograms, ...counts } = sums;
  return {
    ...counts,
    ...percentilesDocument(histograms),
    cost: decimalText(cost),
    provider_cost: decimalText(providerCost),
    margin: decimalText(costed - providerCost),
  };
}

function dimensionTable(by: DimensionGrouping, { lines, total }: UsageLines): string {
  const calls = by === 'upstream' ? ['calls', 'failed calls'] : [];
  const counts = [by, 'requests', 'failed', ...calls, 'tokens in', 'cached', 'tokens out'];
  const rows = lines.map((line) => [lineText(line), ...cells(by, line.sums)]);
  return tableWithTotal([...counts, 'cost', 'provider cost', 'margin'], rows, cells(by, total), linesMax);
}

function lineText({ value, name, accountName }: DimensionLine): string {
  if (value.kind === 'value') return `${name ?? value.value}${accountName === undefined ? '' : ` (${accountName})`}`;
  return value.kind === 'none' ? '(none)' : '(other)';
}

function cells(by: DimensionGrouping, sums: RollupSums): string[] {
  const calls = by === 'upstream' ? [sums.calls, sums.failed_calls] : [];
  const tokens = [sums.prompt_tokens, sums.cached_tokens, sums.completion_tokens];
  const counts = [sums.requests, sums.errors, ...calls, ...tokens];
  const money = [sums.cost, sums.provider_cost, sums.costed - sums.provider_cost];
  return [...counts.map((count) => count.toLocaleString('en-US')), ...money.map(decimalText)];
}
