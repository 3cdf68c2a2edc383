import type { Command } from 'commander';
import { colors } from '../colors.ts';
import {
  type CopyLocations,
  type CopyProgress,
  copyStore,
  planCopy,
  type StoreCopy,
} from '../../manage/backup/copy-store.ts';
import { type LedgerReport, verifyLedger } from '../../money/billing/ledger/verify.ts';
import { addressText } from '../../platform/store/postgres/postgres-address.ts';
import { printWaiting } from '../context.ts';
import { answer, CliError, table } from '../terminal/output.ts';
import { databaseOf, resolveGateway } from '../place.ts';

export function registerStore(program: Command): void {
  const noun = program.command('store').description('Manage the store.');
  noun
    .command('copy')
    .requiredOption('--to <address>', 'address of an empty PostgreSQL database: postgres://USER@HOST:PORT/NAME')
    .option('--dry-run', 'list what would be copied, and copy nothing; the gateway may be running')
    .description('Copy the embedded store into a PostgreSQL database. The gateway must be stopped.')
    .action(copy);
}

interface CopyOptions {
  readonly to: string;
  readonly dryRun?: boolean;
}

async function copy({ to, dryRun }: CopyOptions, command: Command): Promise<void> {
  const { data, database: configured, storeName } = resolveGateway(command);
  if (configured !== undefined) {
    throw new CliError('copy_needs_embedded_store', { store: storeName });
  }
  const database = databaseOf({ database: to }, () => undefined);
  if (database === undefined) throw new CliError('copy_target_missing', {}, { exitCode: 2 });
  await (dryRun ? plan({ data, database }, command) : copied({ data, database }, command));
}

async function plan(places: CopyLocations, command: Command): Promise<void> {
  const tables = (await planCopy(places)).map(({ name, rows }) => ({ name, rows }));
  const cells = tables.map((each) => [each.name, String(each.rows)]);
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  answer(command, {
    json: { from: places.data, to: addressText(places.database), tables },
    text: () =>
      [
        table(['table', 'rows'], cells),
        '',
        `${rows} rows would be copied to ${addressText(places.database)}, which is empty. Nothing was changed.`,
      ].join('\n'),
  });
}

async function copied(places: CopyLocations, command: Command): Promise<void> {
  const done = await copyStore({
    ...places,
    onWaiting: printWaiting,
    onProgress: progressPrinter(),
    verify: (tx) => verifyLedger({ transaction: (work) => work(tx) }),
  });
  const address = addressText(places.database);
  answer(command, {
    json: {
      from: places.data,
      to: address,
      tables: done.tables,
      ledger: done.verdict,
      has_secret_file: done.hasSecretFile,
      has_journal: done.hasJournal,
    },
    text: () => report(done, places.data, address).join('\n'),
  });
  if (!done.verdict.isSound) process.exitCode = 1;
}

const rowsBetweenLines = 100_000;

/** Prints one line per table, and more for a large one, to stderr. The report goes to stdout. */
function progressPrinter(): (progress: CopyProgress) => void {
  let lastPrinted = 0;
  return ({ table: name, rows, of }) => {
    if (rows === of && rows > 0) console.error(`${name}: ${rows} rows`);
    else if (rows - lastPrinted >= rowsBetweenLines) console.error(`${name}: ${rows} of ${of} rows`);
    else return;
    lastPrinted = rows === of ? 0 : rows;
  };
}

function report(done: StoreCopy<LedgerReport>, data: string, address: string): readonly string[] {
  const rows = done.tables.reduce((sum, each) => sum + each.rows, 0);
  return [
    `Copied the store in ${data} to ${address}: ${done.tables.length} tables, ${rows} rows. Every row was read again and compared.`,
    done.verdict.isSound
      ? 'The ledger is sound.'
      : colors.red(
          `The ledger is NOT sound, and was not before the copy: run chat-gateway ledger verify --data ${data}.`,
        ),
    '',
    'Next:',
    `- Set \`database\` in the configuration to the address of ${address}.`,
    secretStep(done, data),
    ...(done.hasJournal
      ? [
          `- ${data}/journal has charges that the store may not have. Start the first gateway with this data folder: it books them.`,
        ]
      : []),
    `- Start the gateway. Keep ${data} until you have checked the copy. Charges written to it from now on are not in the copy.`,
  ];
}

function secretStep({ hasSecretFile }: StoreCopy<unknown>, data: string): string {
  return hasSecretFile
    ? `- Set \`secret\` to \`hex:\` and the text of ${data}/secret.key. With another secret, API keys are rejected.`
    : '- Do not change `secret`. With another secret, API keys are rejected.';
}
