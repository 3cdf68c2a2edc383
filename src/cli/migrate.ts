import type { Command } from 'commander';
import { withStore } from './context.ts';
import { answer } from './output.ts';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the store up to this version; a gateway that starts does so by itself')
    .action((_options, command: Command) => migrate(command));
}

/** Opening a store migrates it, so all that is left is to say what that did. */
async function migrate(command: Command): Promise<void> {
  await withStore(command, async ({ migrated }, { storeName }) => {
    answer(command, {
      json: { store: storeName, migrations: migrated },
      text: () =>
        migrated.length === 0
          ? `The store in ${storeName} is up to date.`
          : `The store in ${storeName} is now up to date. These ran:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
    });
  });
}
