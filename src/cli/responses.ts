import type { Command } from 'commander';
import { responseRows } from '../responses/kept-responses.ts';
import { withStore } from './context.ts';
import { accountsMax, answerSums } from './sums-list.ts';

export function registerResponses(program: Command): void {
  const noun = program.command('responses').description('Show stored responses. Later requests can refer to them.');
  noun
    .command('list')
    .description('List the number and size of stored responses by account. Their contents are never shown.')
    .action(list);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const sums = await responseRows.most(store, accountsMax);
    const total = await responseRows.total(store);
    answerSums(command, { counted: 'responses', sums, total, none: 'No responses are stored.' });
  });
}
