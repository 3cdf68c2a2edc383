import type { Command } from 'commander';
import { keptSums, keptTotal } from '../responses/kept-responses.ts';
import { withStore } from './context.ts';
import { answer, table } from './output.ts';

/** More accounts than anybody reads. */
const accountsMax = 1000;

export function registerResponses(program: Command): void {
  const noun = program.command('responses').description('responses that are kept for later requests to refer to');
  noun
    .command('list')
    .description('how many each account has and how large they are; what is in them nobody sees')
    .action(list);
}

async function list(_options: unknown, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const sums = await keptSums(store, accountsMax);
    const total = await keptTotal(store);
    const rows = sums.map(({ account, responses, bytes }) => [account, String(responses), String(bytes)]);
    answer(command, {
      json: {
        ...total,
        accounts: sums.map(({ accountId, account, ...sum }) => ({ account_id: accountId, account, ...sum })),
      },
      text: () =>
        sums.length === 0
          ? 'No responses are kept.'
          : table(['account', 'responses', 'bytes'], [...rows, ['all', String(total.responses), String(total.bytes)]]),
    });
  });
}
