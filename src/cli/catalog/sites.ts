import type { Command } from 'commander';
import { addResource, cell, listed, resourceCommands } from './resource-commands.ts';

interface AddSiteOptions {
  readonly domain: readonly string[];
  readonly models?: readonly string[];
  readonly honourStreamFalse?: true;
  readonly reportCost?: true;
  readonly messagesBearer?: true;
}

export function registerSites(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'site',
    description: 'Manage sites: the models that each request domain offers.',
    example: 'chat-gateway sites add partner --domain api.partner.example --models "acme-*"',
    columns: ['name', 'domains', 'models', 'stream: false', 'cost'],
    cells: (spec) => [
      cell(spec.name),
      cell(spec.domains),
      cell(spec.models),
      spec.honour_stream_false === true ? 'one JSON body' : 'stream',
      spec.report_cost === true ? 'in answers' : '',
    ],
  });
  noun
    .command('add')
    .argument('<name>')
    .requiredOption('--domain <domains>', 'exact, *.suffix or *; repeatable', listed)
    .option('--models <patterns>', 'models of the site; default: all', listed)
    .option('--honour-stream-false', 'answer `stream: false` with one JSON body')
    .option('--report-cost', 'add the charge to the usage of answers, and to JSON replies as x-gateway-cost')
    .option('--messages-bearer', 'accept any key as a bearer token on the messages surface')
    .description('Add a site.')
    .action((name: string, { domain, models, ...options }: AddSiteOptions, command: Command) =>
      addResource(command, {
        kind: 'site',
        spec: {
          name,
          domains: domain,
          models: models ?? ['*'],
          honour_stream_false: options.honourStreamFalse,
          report_cost: options.reportCost,
          messages_bearer: options.messagesBearer,
        },
      }),
    );
}
