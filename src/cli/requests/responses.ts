import type { Command } from 'commander';
import { storedResponses } from '../../responses/stored-responses.ts';
import { listSums } from './sums-list.ts';

export function registerResponses(program: Command): void {
  const noun = program.command('responses').description('Show stored responses. Later requests can refer to them.');
  noun
    .command('list')
    .description('List the number and size of stored responses by account. Their contents are never shown.')
    .action((_options: unknown, command: Command) =>
      listSums(command, { blobs: storedResponses, counted: 'responses', none: 'No responses are stored.' }),
    );
}
