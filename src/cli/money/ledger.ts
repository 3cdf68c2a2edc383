import { join } from 'node:path';
import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { type lineDocument, moneyEndpoints } from '../../manage/admin/money/money.ts';
import { type LedgerGap, ledgerGaps } from '../../money/billing/recovery/charge-mark.ts';
import { type LedgerReport, verifyLedger } from '../../money/billing/ledger/verify.ts';
import { storeFile } from '../../manage/backup/contents.ts';
import { systemClock } from '../../core/time/clock.ts';
import { integrityLimitMs, integrityOf } from '../../platform/store/sqlite/integrity.ts';
import { accountOf } from '../accounts/account-of.ts';
import { allPages, withAdmin } from '../admin-call.ts';
import { damageFix } from '../doctor/store.ts';
import { withStore } from '../context.ts';
import { countOf } from '../terminal/option-values.ts';
import { answer, type Cell, CliError, table } from '../terminal/output.ts';
import { hasStore, resolveGateway } from '../place.ts';
import { momentText } from '../terminal/time-text.ts';

type LedgerDocument = ReturnType<typeof lineDocument>;

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
  const max = countOf('--limit', options.limit, 10_000);
  await withAdmin(command, async (call, store) => {
    const { id, name } = await accountOf(store, options.account);
    const lines = await allPages<LedgerDocument>(call, moneyEndpoints, 'listLedger', { id, max });
    answer(command, {
      json: lines,
      text: () => (lines.length === 0 ? `No ledger entries for ${name} yet.` : lineTable(lines)),
    });
  });
}

function lineTable(lines: readonly LedgerDocument[]): string {
  const now = systemClock.now();
  const rows = lines.map((line): Cell[] => [
    momentText(Date.parse(line.at), now),
    line.kind,
    { text: line.amount.padStart(16), paint: line.amount.startsWith('-') ? String : colors.green },
    line.by,
    line.reason,
    line.reference,
  ]);
  return table(['time', 'kind', '          amount', 'by', 'reason', 'reference'], rows);
}

async function verify(_options: unknown, command: Command): Promise<void> {
  const integrity = await requireIntact(command);
  await withStore(command, async (store, { data }) => {
    const report = await verifyLedger(store);
    const gaps = await ledgerGaps(store, data);
    answer(command, {
      json: { ...report, gaps: gaps.map(gapDocument) },
      text: () =>
        [...checkLines(report), ...gaps.flatMap(gapLines), ...integrity, '', verdict(report, gaps)].join('\n'),
    });
    if (!report.isSound || gaps.length > 0) process.exitCode = 1;
  });
}

/** Sums of a damaged store prove nothing. Returns lines for the report. */
async function requireIntact(command: Command): Promise<readonly string[]> {
  const target = resolveGateway(command);
  if (target.database !== undefined || !hasStore(target)) return [];
  const { data } = target;
  const integrity = await integrityOf(join(data, storeFile));
  if (integrity.state === 'damaged') {
    throw new CliError('store_damaged', { data, damage: integrity.damage, fix: damageFix(data) });
  }
  if (integrity.state === 'sound') return [];
  return [
    `The integrity check of the file did not end within ${integrityLimitMs / 1000} s. A backup checks its whole copy.`,
  ];
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
