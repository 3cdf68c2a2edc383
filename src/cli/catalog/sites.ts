import type { Command } from 'commander';
import { numeric } from '../terminal/option-values.ts';
import { addResource, cell, listed, resourceCommands } from './resource-commands.ts';

interface AddSiteOptions {
  readonly domain: readonly string[];
  readonly models?: readonly string[];
  readonly honourStreamFalse?: true;
  readonly reportCost?: true;
  readonly messagesBearer?: true;
  readonly keyHeaders?: readonly string[];
  readonly pathPrefixes?: readonly string[];
  readonly unknownModelStatus?: string;
  readonly ignoreFields?: readonly string[];
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
    .option('--key-headers <headers>', 'headers in which clients of other gateways send the key', listed)
    .option('--path-prefixes <paths>', 'further paths of the endpoints of /v1, such as /api/v1 or /', listed)
    .option('--unknown-model-status <status>', 'status for unknown models: 403 or 404')
    .option('--ignore-fields <fields>', 'fields to remove from requests, or products such as litellm', listed)
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
          key_headers: options.keyHeaders,
          path_prefixes: options.pathPrefixes,
          unknown_model_status:
            options.unknownModelStatus === undefined ? undefined : numeric(options.unknownModelStatus),
          ignore_fields: options.ignoreFields,
        },
      }),
    );
}
