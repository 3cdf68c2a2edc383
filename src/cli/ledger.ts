import type { Command } from 'commander';
import colors from 'picocolors';
import { type LedgerGap, ledgerGaps } from '../billing/charge-mark.ts';
import { type LedgerLine, ledgerLines } from '../billing/ledger-lines.ts';
import { type LedgerReport, verifyLedger } from '../billing/verify.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText } from '../core/money.ts';
import { accountOf } from './account-of.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { countOf } from './option-values.ts';
import { answer, type Cell, table } from './output.ts';
import { momentText } from './time-text.ts';

export function registerLedger(program: Command): void {
  const noun = program.command('ledger').description('List ledger entries, and verify the ledger.');
  noun
    .command('list')
    .requiredOption('--account <account>', 'name or id')
    .option('--limit <number>', 'number of entries, newest first', '50')
    .description('List the ledger entries of an account.')
    .action(list);
  noun.command('verify').description('Check the invariants of the ledger.').action(verify);
}

async function list(options: { account: string; limit: string }, command: Command): Promise<void> {
  const limit = countOf('--limit', options.limit, 10_000);
  await withStore(command, async (store) => {
    const account = await accountOf(store, options.account);
    const lines = await ledgerLines(store, { accountId: account.id, limit });
    answer(command, {
      json: lines.map((line) => ({ ...documentOf(line), at: new Date(line.at).toISOString() })),
      text: () => (lines.length === 0 ? `No ledger entries for ${account.name} yet.` : lineTable(lines)),
    });
  });
}

function lineTable(lines: readonly LedgerLine[]): string {
  const now = systemClock.now();
  const rows = lines.map((line): Cell[] => [
    momentText(line.at, now),
    line.kind,
    { text: decimalText(line.amount).padStart(16), paint: line.amount < 0n ? String : colors.green },
    line.by,
    line.reason,
    line.reference,
  ]);
  return table(['time', 'kind', '          amount', 'by', 'reason', 'reference'], rows);
}

async function verify(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store, { data }) => {
    const report = await verifyLedger(store);
    const gaps = await ledgerGaps(store, data);
    answer(command, {
      json: { ...report, gaps: gaps.map(gapDocument) },
      text: () => [...checkLines(report), ...gaps.flatMap(gapLines), '', verdict(report, gaps)].join('\n'),
    });
    if (!report.isSound || gaps.length > 0) process.exitCode = 1;
  });
}

function checkLines({ checks }: LedgerReport): readonly string[] {
  return checks.flatMap(({ title, count, violations }) => [
    `${violations.length === 0 ? colors.green('✓') : colors.red('✗')} ${title} ${colors.dim(`(${count})`)}`,
    ...violations.map((violation) => `    ${violation}`),
  ]);
}

/** The ledger does not show which charges are missing. The providers' bills for that time do. */
function gapLines(gap: LedgerGap): readonly string[] {
  const { from, until, request_id } = gapDocument(gap);
  return [
    `${colors.red('✗')} it has every charge up to the high-water mark of this machine`,
    `    missing: request ${request_id}, and others charged ${from === null ? 'before' : `after ${from} and until`} ${until}`,
    `    Was an older backup restored? Compare with the providers' bills for that time, then remove ${gap.file}.`,
  ];
}

function gapDocument({ requestId, from, until, file }: LedgerGap) {
  const moment = (at: number): string => new Date(at).toISOString();
  return { request_id: requestId, from: from === undefined ? null : moment(from), until: moment(until), file };
}

function verdict({ isSound }: LedgerReport, gaps: readonly LedgerGap[]): string {
  if (!isSound) return colors.red('The ledger is NOT sound.');
  return gaps.length === 0 ? 'The ledger is sound.' : colors.red('The ledger adds up, but entries are missing.');
}
