import type { Command } from 'commander';
import type { Preset } from '../upstreams/preset.ts';
import { presets } from '../upstreams/presets.ts';
import { documentOf } from './document.ts';
import { answer, table } from './output.ts';
import { addResource, cell, listed, numeric, resourceCommands } from './resource-commands.ts';

interface AddOptions {
  readonly preset: string;
  readonly name?: string;
  readonly apiKey?: readonly string[];
  readonly baseUrl?: string;
  readonly maxConcurrency?: number | string;
}

export function registerUpstreams(program: Command): void {
  const noun = resourceCommands(program, {
    kind: 'upstream',
    description: 'the model providers that answer requests',
    example: 'chat-gateway upstreams add --preset deepseek',
    columns: ['name', 'kind', 'address', 'at once'],
    cells: (spec) => [
      cell(spec.name),
      cell(spec.kind),
      cell(spec.base_url ?? presetOf(cell(spec.kind))?.baseUrl),
      cell(spec.max_concurrency),
    ],
  });
  noun
    .command('add')
    .requiredOption('--preset <kind>', 'a provider known by name, or `openai` with --base-url for any other')
    .option('--name <name>', 'what routes call it; the name of the preset if left out')
    .option(
      '--api-key <references>',
      "where the credential is, such as '${ACME_KEY}'; several are used in turn",
      listed,
    )
    .option('--base-url <address>', 'where the API lives, if not where the preset says')
    .option('--max-concurrency <number>', 'answers running at once', numeric)
    .description('add a provider; its credential stays in the environment of the gateway')
    .action(add);
  noun.command('presets').description('the providers that are known by name').action(listPresets);
}

async function add(options: AddOptions, command: Command): Promise<void> {
  const keys = options.apiKey ?? usualKey(options);
  await addResource(command, {
    kind: 'upstream',
    spec: {
      name: options.name ?? options.preset,
      kind: options.preset,
      base_url: options.baseUrl,
      api_key: keys.length === 1 ? keys[0] : undefined,
      api_keys: keys.length > 1 ? keys : undefined,
      max_concurrency: options.maxConcurrency,
    },
    ...(keys.length > 0 && { note: `The gateway must be started with ${keys.map(variableOf).join(', ')} set.` }),
  });
}

/** The preset's own variable: the first that is set here. Another address is another provider and must not get that key. */
function usualKey({ preset, baseUrl }: AddOptions): readonly string[] {
  const names = presetOf(preset)?.environment ?? [];
  const name = names.find((each) => process.env[each]) ?? names[0];
  return name === undefined || baseUrl !== undefined ? [] : [`\${${name}}`];
}

function variableOf(reference: string): string {
  return reference.replace(/^\$\{(.*)\}$/, '$1');
}

function listPresets(_options: unknown, command: Command): void {
  answer(command, {
    json: presets.map(({ name, title, baseUrl, environment, note }) =>
      documentOf({ name, title, baseUrl, environment, note }),
    ),
    text: () =>
      table(
        ['preset', 'provider', 'address', 'key from'],
        presets.map(({ name, title, baseUrl, environment }) => [
          name,
          title,
          baseUrl,
          environment.join(' or ') || 'no key',
        ]),
      ),
  });
}

function presetOf(kind: string): Preset | undefined {
  return presets.find(({ name }) => name === kind);
}
