import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type RestoredBackup, restoreBackup } from '../backup/restore-backup.ts';
import { systemClock } from '../core/clock.ts';
import { notEmbedded } from './backup.ts';
import { answer } from './output.ts';
import { placeOf } from './place.ts';

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .argument('<folder>', 'what `chat-gateway backup` has made')
    .description('put a backup in the place of the embedded store; what was there is kept beside it')
    .action(restore);
}

async function restore(folder: string, _options: unknown, command: Command): Promise<void> {
  const { data, database, storeName } = placeOf(command);
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
    `The store in ${data} is now as it was at ${backup.taken_at}.`,
    ...(aside === undefined ? [] : [`What was there before is in ${aside}; remove it when you no longer need it.`]),
    '',
    'Next:',
    ...(lacksSecret ? [secretStep] : []),
    `- chat-gateway ledger verify --data ${data}, which names the time whose charges are missing, if this machine has seen any since.`,
    '- Start the gateway.',
  ];
}

const secretStep =
  '- Its secret is not in it: see that `secret` of the configuration is what it was then, or put secret.key back. Without it no API key is accepted.';
