import { isIP } from 'node:net';
import type { Command } from 'commander';
import { upstreamActionEndpoints } from '../../manage/admin/catalog/upstream-actions.ts';
import { credentialFields } from '../../money/catalog/resources.ts';
import { isReference } from '../../platform/config/environment.ts';
import { ownFieldNames, secretFields } from '../../platform/config/schema/upstream.ts';
import { isPublicAddress } from '../../serving/upstreams/http1/egress-guard.ts';
import { type KnownProvider, knownProviders, presets } from '../../serving/upstreams/providers/presets.ts';
import { withAdmin } from '../admin-call.ts';
import { documentOf } from '../terminal/document.ts';
import { numeric } from '../terminal/option-values.ts';
import { answer, CliError, table } from '../terminal/output.ts';
import {
  addResource,
  answerChanged,
  cell,
  type IfVersion,
  ifVersion,
  listed,
  readResources,
  resourceCommands,
} from './resource-commands.ts';
import { credentials } from './secret-input.ts';
import { registerUpstreamHealth } from './upstream-health.ts';

interface AddUpstreamOptions {
  readonly preset: string;
  readonly name?: string;
  readonly apiKey?: readonly string[];
  readonly baseUrl?: string;
  readonly set?: readonly string[];
  readonly maxConcurrency?: number | string;
}

export function registerUpstreams(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'upstream',
    description: 'Manage upstreams: the model providers.',
    example: 'chat-gateway upstreams add --preset deepseek',
    columns: ['name', 'kind', 'address', 'max concurrency'],
    cells: (spec) => [
      cell(spec.name),
      cell(spec.kind),
      cell(spec.base_url ?? known(cell(spec.kind))?.address),
      cell(spec.max_concurrency),
    ],
  });
  noun
    .command('add')
    .requiredOption('--preset <kind>', 'known provider, or `openai` with --base-url for any other')
    .option('--name <name>', 'name of the upstream; default: the name of the preset')
    .option('--api-key <where>', keyOption, listed)
    .option('--base-url <address>', 'address of the API; default: the address of the preset')
    .option('--set <field=value>', `other setting of the kind: ${ownFieldNames.join(', ')}; repeatable`, listed)
    .option('--max-concurrency <number>', 'maximum number of concurrent answers', numeric)
    .description('Add an upstream. Its credential is stored encrypted, or read from the environment of the gateway.')
    .action(add);
  noun
    .command('rotate-key')
    .argument('<name>')
    .requiredOption('--api-key <where>', keyOption, listed)
    .option(...ifVersion)
    .description(
      'Replace the credential of an upstream that was added by command. Running answers finish with the old one.',
    )
    .action(rotateKey);
  registerUpstreamHealth(noun);
  noun.command('presets').description('List the known providers.').action(listPresets);
}

const keyOption =
  "`-` to read it from standard input, or '${ACME_KEY}' to name a variable; several are used in parallel";

async function add(options: AddUpstreamOptions, command: Command): Promise<void> {
  const own = ownFields(options.set ?? []);
  const hasOther = secretFields.some((field) => own[field] !== undefined);
  const keys = options.apiKey ? await credentials(options.apiKey) : hasOther ? [] : presetKey(options);
  await addResource(command, {
    kind: 'upstream',
    withSecret: hasLiteral(keys),
    spec: {
      name: options.name ?? options.preset,
      kind: options.preset,
      base_url: options.baseUrl,
      ...credentialFields(keys),
      ...own,
      max_concurrency: options.maxConcurrency,
    },
    note:
      [variablesNote([...keys, ...Object.values(own)]), addressNote(options)]
        .filter((note) => note !== '')
        .join('\n') || undefined,
  });
}

function ownFields(settings: readonly string[]): Readonly<Record<string, string>> {
  const entries = settings.map((setting): [string, string] => {
    const [field = '', ...value] = setting.split('=');
    if (!ownFieldNames.includes(field) || value.length === 0) {
      throw new CliError('unknown_setting', { field, fields: ownFieldNames.join(', ') }, { exitCode: 2 });
    }
    return [field, value.join('=')];
  });
  for (const [field, value] of entries) {
    const isSecret = secretFields.some((name) => name === field);
    if (!isSecret || isReference(value)) continue;
    throw new CliError('secret_in_setting', { field }, { exitCode: 2 });
  }
  return Object.fromEntries(entries);
}

async function rotateKey(
  reference: string,
  options: IfVersion & { readonly apiKey: readonly string[] },
  command: Command,
): Promise<void> {
  const keys = await credentials(options.apiKey);
  await withAdmin(command, async (call, store) => {
    const { name } = await readResources(store).show('upstream', reference);
    const request = { id: name, body: { api_keys: keys }, ifVersion: options.ifVersion, withSecret: hasLiteral(keys) };
    await call(upstreamActionEndpoints, 'rotateUpstreamKeys', request);
    await answerChanged(command, await readResources(store).show('upstream', name), variablesNote(keys) || undefined);
  });
}

function hasLiteral(keys: readonly string[]): boolean {
  return keys.some((key) => !isReference(key));
}

function variablesNote(keys: readonly string[]): string {
  const variables = keys.filter(isReference).map((reference) => reference.slice(2, -1));
  if (variables.length === 0) return '';
  const others =
    'List those that are not the usual one of the provider in `egress.variables` of the configuration file.';
  return `Start the gateway with these variables set: ${variables.join(', ')}. ${others}`;
}

/** A warning now, because the gateway will reject the connection later. */
function addressNote({ preset, baseUrl }: AddUpstreamOptions): string {
  const address = baseUrl ?? presets.find(({ name }) => name === preset)?.baseUrl ?? '';
  const host = URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (host !== 'localhost' && (isIP(host) === 0 || isPublicAddress(host))) return '';
  return `${host} is not a public address. The gateway connects to it only if \`egress.allow\` in its configuration file allows it.`;
}

/** The environment variable of the preset. Not with another base URL: another provider must not receive that key. */
function presetKey({ preset, baseUrl }: AddUpstreamOptions): readonly string[] {
  const names = known(preset)?.environment ?? [];
  const name = names.find((each) => process.env[each]) ?? names[0];
  return name === undefined || baseUrl !== undefined ? [] : [`\${${name}}`];
}

function listPresets(_options: unknown, command: Command): void {
  answer(command, {
    json: knownProviders.map(({ name, title, address, environment, note }) =>
      documentOf({ name, title, baseUrl: address, environment, note }),
    ),
    text: () =>
      table(
        ['preset', 'provider', 'address', 'key from'],
        knownProviders.map(({ name, title, address, environment }) => [
          name,
          title,
          address,
          environment.join(' or ') || 'no key',
        ]),
      ),
  });
}

function known(kind: string): KnownProvider | undefined {
  return knownProviders.find(({ name }) => name === kind);
}
