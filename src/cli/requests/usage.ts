import { type Command, Option } from 'commander';
import colors from 'picocolors';
import type { Account } from '../../accounts/accounts.ts';
import { keys } from '../../accounts/keys.ts';
import { requireScope } from '../../admin/usage/usage-figures.ts';
import { systemClock } from '../../core/time/clock.ts';
import { decimalText } from '../../core/money.ts';
import {
  type UsageFigures,
  type UsageGrouping,
  type UsageLine,
  usageGroupings,
  usageLinesMax,
  usageSummary,
} from '../../requests/rollups/usage-summary.ts';
import type { Store } from '../../store/store.ts';
import { accountOf } from '../accounts/account-of.ts';
import { withStore } from '../context.ts';
import { documentOf } from '../document.ts';
import { timeOf } from '../time-option.ts';
import { answer, type Cell, table } from '../output.ts';
import {
  figures,
  dimensionDocument,
  type DimensionGrouping,
  dimensionGroupings,
  dimensionTable,
  usageLinesOf,
} from './usage-by-dimension.ts';
import { lengthText } from '../time-text.ts';

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
    if (!isSummaryGrouping(by)) {
      await showByDimension(command, store, { account, by, from, to });
      return;
    }
    const { lines, total } = await usageSummary(store, { accountId: account?.id, from, to, by });
    const names = by === 'key' ? await keyNames(store, account) : new Map<string, string>();
    const none = `No usage in ${storeName} in this period.\nUsage appears here shortly after a request was answered, and is kept for \`requests.usage_retention\`.`;
    answer(command, {
      json: {
        account: account?.name ?? null,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        by,
        lines: lines.map(documentOf),
        total: documentOf(total),
      },
      text: () => (lines.length === 0 ? none : usageTable(by, lines, total, names) + streamWarning(by, lines, total)),
    });
  });
}

interface DimensionUsageQuery {
  readonly account: Account | undefined;
  readonly by: DimensionGrouping;
  readonly from: number;
  readonly to: number;
}

async function showByDimension(
  command: Command,
  store: Store,
  { account, by, from, to }: DimensionUsageQuery,
): Promise<void> {
  requireScope(account?.id, by);
  const usage = await usageLinesOf(store, { accountId: account?.id, from, to, by });
  answer(command, {
    json: {
      account: account?.name ?? null,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      by,
      lines: usage.lines.map(dimensionDocument),
      total: figures(usage.total),
    },
    text: () => (usage.lines.length === 0 ? 'No usage in this period.' : dimensionTable(by, usage)),
  });
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
  total: UsageFigures,
  names: ReadonlyMap<string, string>,
): string {
  const rows = lines.map((line) => [groupText(by, line.group, names), ...figureCells(line)]);
  const sum = ['total', ...figureCells(total)].map((text): Cell => ({ text, paint: colors.bold }));
  const head = [by, 'requests', 'failed', 'tokens in', 'cached', 'tokens out', 'cost', 'first byte'];
  const more =
    lines.length === usageLinesMax ? `\nOnly the first ${usageLinesMax} lines are shown. The total includes all.` : '';
  return table(head, [...rows, sum]) + more;
}

/** A client that cannot read a stream retries, and every retry is charged: warn the operator. */
function streamWarning(by: UsageGrouping, lines: readonly UsageLine[], { unwantedStreams }: UsageFigures): string {
  if (unwantedStreams === 0) return '';
  const requests = unwantedStreams === 1 ? '1 request' : `${unwantedStreams.toLocaleString('en-US')} requests`;
  const warning = `${requests} asked for one JSON body and got a stream. Clients that cannot read a stream retry, and every retry is charged.`;
  const found = lines.filter((line) => line.unwantedStreams > 0).slice(0, warnedMax);
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

function figureCells(figures: UsageFigures): string[] {
  const { requests, errors, answered, promptTokens, cachedTokens, completionTokens, cost, firstByteMs } = figures;
  return [
    ...[requests, errors, promptTokens, cachedTokens, completionTokens].map((count) => count.toLocaleString('en-US')),
    decimalText(cost),
    answered === 0 ? '-' : lengthText(firstByteMs / answered),
  ];
}
