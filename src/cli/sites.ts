import type { Command } from 'commander';
import { addResource, cell, listed, resourceCommands } from './resource-commands.ts';

interface AddSiteOptions {
  readonly domain: readonly string[];
  readonly models?: readonly string[];
  readonly honourStreamFalse?: true;
  readonly messagesBearer?: true;
}

export function registerSites(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'site',
    description: 'which models exist on which request domain',
    example: 'chat-gateway sites add partner --domain api.partner.example --models "acme-*"',
    columns: ['name', 'domains', 'models', 'stream: false'],
    cells: (spec) => [
      cell(spec.name),
      cell(spec.domains),
      cell(spec.models),
      spec.honour_stream_false === true ? 'honoured' : 'still a stream',
    ],
  });
  noun
    .command('add')
    .argument('<name>')
    .requiredOption('--domain <domains>', 'exact, *.suffix or *; may be given several times', listed)
    .option('--models <patterns>', 'models that exist there; all if left out', listed)
    .option('--honour-stream-false', 'answer `stream: false` with one JSON body there')
    .option('--messages-bearer', 'take any bearer token as the key on the messages surface there')
    .description('add a site')
    .action((name: string, { domain, models, honourStreamFalse, messagesBearer }: AddSiteOptions, command: Command) =>
      addResource(command, {
        kind: 'site',
        spec: {
          name,
          domains: domain,
          models: models ?? ['*'],
          honour_stream_false: honourStreamFalse,
          messages_bearer: messagesBearer,
        },
      }),
    );
}
