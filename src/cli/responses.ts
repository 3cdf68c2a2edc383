import type { Command } from 'commander';
import { responseRows } from '../responses/kept-responses.ts';
import { withStore } from './context.ts';
import { accountsMax, answerSums } from './sums-list.ts';

export function registerResponses(program: Command): void {
  const noun = program.command('responses').description('responses that are kept for later requests to refer to');
  noun
    .command('list')
    .description('how many each account has and how large they are; what is in them nobody sees')
    .action(list);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const sums = await responseRows.most(store, accountsMax);
    const total = await responseRows.total(store);
    answerSums(command, { counted: 'responses', sums, total, none: 'No responses are kept.' });
  });
}
