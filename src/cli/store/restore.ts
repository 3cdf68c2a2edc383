import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type RestoredBackup, restoreBackup } from '../../backup/restore-backup.ts';
import { systemClock } from '../../core/time/clock.ts';
import { notEmbedded } from './backup.ts';
import { answer } from '../output.ts';
import { resolveGateway } from '../place.ts';

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
