import type { Command } from 'commander';
import colors from 'picocolors';
import { type CopyLocations, type CopyProgress, copyStore, planCopy, type StoreCopy } from '../backup/copy-store.ts';
import { type LedgerReport, verifyLedger } from '../billing/verify.ts';
import { addressText } from '../store/postgres-address.ts';
import { sayWaiting } from './context.ts';
import { answer, CliError, table } from './output.ts';
import { databaseOf, placeOf } from './place.ts';

export function registerStore(program: Command): void {
  const noun = program.command('store').description('where everything is kept');
  noun
    .command('copy')
    .requiredOption('--to <address>', 'an empty PostgreSQL database: postgres://USER@HOST:PORT/NAME')
    .option('--dry-run', 'only say what would be copied; the gateway may be running')
    .description('copy the embedded store, whose gateway is stopped, into a PostgreSQL database')
    .action(copy);
}

interface CopyOptions {
  readonly to: string;
  readonly dryRun?: boolean;
}

async function copy({ to, dryRun }: CopyOptions, command: Command): Promise<void> {
  const { data, database: configured, storeName } = placeOf(command);
  if (configured !== undefined) {
    throw new CliError('copy_needs_embedded_store', { store: storeName });
  }
  const database = databaseOf({ database: to }, () => undefined);
  if (database === undefined) throw new CliError('copy_target_missing', {}, { exitCode: 2 });
  await (dryRun ? plan({ data, database }, command) : copied({ data, database }, command));
}

async function plan(places: CopyLocations, command: Command): Promise<void> {
  const tables = (await planCopy(places)).map(({ name, rows }) => ({ name, rows }));
  const rows = tables.reduce((sum, each) => sum + each.rows, 0);
  answer(command, {
    json: { from: places.data, to: addressText(places.database), tables },
    text: () =>
      [
        table(
          ['table', 'rows'],
          tables.map((each) => [each.name, String(each.rows)]),
        ),
        '',
        `${rows} rows would be copied to ${addressText(places.database)}, which is empty. Nothing was changed.`,
      ].join('\n'),
  });
}

async function copied(places: CopyLocations, command: Command): Promise<void> {
  const done = await copyStore({
    ...places,
    onWaiting: sayWaiting,
    onProgress: progressSayer(),
    verify: (tx) => verifyLedger({ transaction: (work) => work(tx) }),
  });
  const place = addressText(places.database);
  answer(command, {
    json: {
      from: places.data,
      to: place,
      tables: done.tables,
      ledger: done.verdict,
      has_secret_file: done.hasSecretFile,
      has_journal: done.hasJournal,
    },
    text: () => report(done, places.data, place).join('\n'),
  });
  if (!done.verdict.isSound) process.exitCode = 1;
}

const rowsBetweenWords = 100_000;

/** One line for a table, and more for a long one, on stderr: standard output has the report. */
function progressSayer(): (progress: CopyProgress) => void {
  let said = 0;
  return ({ table: name, rows, of }) => {
    if (rows === of && rows > 0) console.error(`${name}: ${rows} rows`);
    else if (rows - said >= rowsBetweenWords) console.error(`${name}: ${rows} of ${of} rows`);
    else return;
    said = rows === of ? 0 : rows;
  };
}

function report(done: StoreCopy<LedgerReport>, data: string, place: string): readonly string[] {
  const rows = done.tables.reduce((sum, each) => sum + each.rows, 0);
  return [
    `The store in ${data} is now in ${place}: ${done.tables.length} tables, ${rows} rows, each read again and found the same.`,
    done.verdict.isSound
      ? 'The ledger is sound.'
      : colors.red(`The ledger is NOT sound, as it was before: see chat-gateway ledger verify --data ${data}.`),
    '',
    'Next:',
    `- Set \`database\` in the configuration to the address of ${place}.`,
    secretStep(done, data),
    ...(done.hasJournal
      ? [
          `- ${data}/journal has charges that the store may lack: start the first gateway with this data folder, which books them.`,
        ]
      : []),
    `- Start the gateway, and keep ${data} until you are content. Charges made with it from now on are not in the copy.`,
  ];
}

function secretStep({ hasSecretFile }: StoreCopy<unknown>, data: string): string {
  return hasSecretFile
    ? `- Set \`secret\` to \`hex:\` and the text of ${data}/secret.key: with another one no API key is accepted.`
    : '- Leave `secret` as it is: with another one no API key is accepted.';
}
