import type { Command } from 'commander';
import { withStore } from '../context.ts';
import { answer } from '../terminal/output.ts';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Migrate the store to this version. `serve` does this at start.')
    .action((_options, command: Command) => migrate(command));
}

/** Opening a store migrates it; this only prints the result. */
async function migrate(command: Command): Promise<void> {
  await withStore(command, async ({ migrated }, { storeName }) => {
    answer(command, {
      json: { store: storeName, migrations: migrated },
      text: () =>
        migrated.length === 0
          ? `The store in ${storeName} is up to date.`
          : `The store in ${storeName} is now up to date. Migrations applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
    });
  });
}
