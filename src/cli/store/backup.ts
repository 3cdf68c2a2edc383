import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { takeBackup, type TakenBackup } from '../../manage/backup/take-backup.ts';
import { formatStamp } from '../../core/build-stamp.ts';
import { systemClock } from '../../core/time/clock.ts';
import { answer, CliError } from '../terminal/output.ts';
import { hasStore, resolveGateway } from '../place.ts';
import { sizeText } from './size-text.ts';
import { type RestoredBackup, restoreBackup } from '../../manage/backup/restore-backup.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('[folder]', 'folder to create; default: a folder with the time in its name')
    .option('--without-secret', 'leave out secret.key, which decrypts provider keys and stored responses')
    .description('Copy the embedded store into a folder. The gateway may be running.')
    .action(backup);
}

async function backup(folder: string | undefined, options: { withoutSecret?: boolean }, command: Command) {
  const { data, database, storeName } = resolveGateway(command);
  if (database !== undefined) throw notEmbedded(storeName, 'pg_dump');
  if (!hasStore({ data, database })) {
    throw new CliError('store_not_found', { data });
  }
  const to = resolve(folder ?? `gateway-backup-${formatStamp(systemClock.now())}`);
  if (existsSync(to)) {
    throw new CliError('folder_exists', { folder: to }, { exitCode: 2 });
  }
  const version = program(command).version() ?? '';
  const taken = await takeBackup({
    data,
    to,
    version,
    now: systemClock.now,
    withSecret: options.withoutSecret !== true,
  });
  answer(command, {
    json: {
      folder: taken.folder,
      taken_at: new Date(taken.takenAt).toISOString(),
      bytes: taken.bytes,
      secret: taken.secret,
    },
    text: () =>
      [`Copied the store in ${data} to ${to} (${sizeText(taken.bytes)}).`, secretWords(taken), next(taken)].join('\n'),
  });
}

/** PostgreSQL has its own backup tools. */
export function notEmbedded(storeName: string, tool: string): CliError {
  return new CliError('backup_needs_embedded_store', { store: storeName, tool });
}

const secretSentences: Readonly<Record<TakenBackup['secret'], string>> = {
  included:
    'The backup contains secret.key. A person who has the folder can use every provider key: keep it as safe as the keys.',
  left_out:
    'The backup does not contain secret.key. Without that file, provider keys cannot be decrypted and API keys are rejected.',
  configured:
    'The secret of the backup is `secret` in the configuration. Without it, provider keys cannot be decrypted and API keys are rejected.',
};

function secretWords({ secret }: TakenBackup): string {
  return secretSentences[secret];
}

function next({ folder }: TakenBackup): string {
  return `The backup does not contain the configuration file. To restore it: chat-gateway restore ${folder}`;
}

function program(command: Command): Command {
  return command.parent ? program(command.parent) : command;
}

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .argument('<folder>', 'folder that `chat-gateway backup` created')
    .description('Replace the embedded store with a backup. The old store is kept next to it.')
    .action(restore);
}

async function restore(folder: string, _options: unknown, command: Command): Promise<void> {
  const { data, database, storeName } = resolveGateway(command);
  if (database !== undefined) throw notEmbedded(storeName, 'pg_restore');
  const restored = await restoreBackup({ from: resolve(folder), data, now: systemClock.now });
  answer(command, {
    json: {
      data,
      taken_at: restored.backup.taken_at,
      version: restored.backup.version,
      aside: restored.aside ?? null,
      lacks_secret: restored.lacksSecret,
    },
    text: () => report(restored, data).join('\n'),
  });
}

function report({ backup, aside, lacksSecret }: RestoredBackup, data: string): readonly string[] {
  return [
    `Restored the store in ${data} to ${backup.taken_at}.`,
    ...(aside === undefined ? [] : [`The old store is in ${aside}. Remove it when you no longer need it.`]),
    '',
    'Next:',
    ...(lacksSecret ? [secretStep] : []),
    `- Run chat-gateway ledger verify --data ${data}. It prints the period of missing charges, if this machine has recorded any since.`,
    '- Start the gateway.',
  ];
}

const secretStep =
  '- The backup has no secret. Set `secret` in the configuration to its value at that time, or put secret.key back. Without it, API keys are rejected.';
