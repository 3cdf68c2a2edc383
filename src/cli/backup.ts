import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { takeBackup, type TakenBackup } from '../backup/take-backup.ts';
import { stampText } from '../core/build-stamp.ts';
import { systemClock } from '../core/clock.ts';
import { answer, CliError } from './output.ts';
import { placeOf } from './place.ts';
import { sizeText } from './size-text.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('[folder]', 'where to put it; a new folder with the time in its name if left out')
    .option('--without-secret', 'leave out secret.key, without which provider keys and kept responses cannot be opened')
    .description('copy the embedded store into a folder, also while the gateway runs')
    .action(backup);
}

async function backup(folder: string | undefined, options: { withoutSecret?: boolean }, command: Command) {
  const { data, database, storeName } = placeOf(command);
  if (database !== undefined) throw notEmbedded(storeName, 'pg_dump');
  if (!existsSync(join(data, 'gateway.db'))) {
    throw new CliError('store_not_found', { data });
  }
  const to = resolve(folder ?? `gateway-backup-${stampText(systemClock.now())}`);
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
      [`The store in ${data} is in ${to} (${sizeText(taken.bytes)}).`, secretWords(taken), next(taken)].join('\n'),
  });
}

/** PostgreSQL has better tools of its own. */
export function notEmbedded(storeName: string, tool: string): CliError {
  return new CliError('backup_needs_embedded_store', { store: storeName, tool });
}

const secretSentences: Readonly<Record<TakenBackup['secret'], string>> = {
  included: 'secret.key is in it: whoever has the folder can use every provider key. Keep it as safe as those.',
  left_out: 'secret.key is not in it. Without that file it opens no provider key, and no API key is accepted.',
  configured:
    'Its secret is `secret` of the configuration. Without that it opens no provider key, and no API key is accepted.',
};

function secretWords({ secret }: TakenBackup): string {
  return secretSentences[secret];
}

function next({ folder }: TakenBackup): string {
  return `The configuration file is not in it. To use it: chat-gateway restore ${folder}`;
}

function program(command: Command): Command {
  return command.parent ? program(command.parent) : command;
}
