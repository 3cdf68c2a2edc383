import { relative } from 'node:path';
import colors from 'picocolors';
import type { Config } from '../config/config.ts';
import type { Findings } from '../config/discovered.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { addressText } from '../store/postgres-address.ts';
import { details } from './output.ts';

interface BannerParts {
  readonly gateway: Gateway;
  readonly file: string | undefined;
  readonly found: Findings | undefined;
  /** Secret of a new API key. It is printed only once. */
  readonly key: string | undefined;
  /** Secret of a new admin token. It is printed only once. */
  readonly adminToken: string | undefined;
  /** Path at which the first owner signs up; `undefined` if there is an owner. */
  readonly setup: string | undefined;
  readonly config: Config;
}

const modelsShown = 12;

/** The text printed at start: addresses, models, new secrets and commands to try. */
export function banner({ gateway, file, found, key, adminToken, setup, config }: BannerParts): string {
  const { catalog, version } = gateway.current();
  const url = addressOf(gateway);
  // Passkeys need a host name; an IP address does not work.
  const named = url.replace('//127.0.0.1:', '//localhost:');
  const models = catalog.all().map(({ id, aliases }) => aliases[0] ?? id);
  const facts = details([
    ['address', { text: url, paint: colors.cyan }],
    ['dashboard', setup === undefined ? named : { text: named + setup, paint: colors.cyan }],
    ['docs', `${url}/docs`],
    ['data', storeText(config)],
    ['config', file ?? 'none, using defaults; copy gateway.example.yaml to gateway.yaml and edit it'],
    ['models', listed(models)],
  ]);
  const parts = [`${colors.bold('Chat Gateway')} ${colors.dim(version)}`, facts];
  if (found) parts.push(...notesOn(found));
  parts.push(key === undefined ? keyHint(file) : newKey(key, url, { models, messagesPrefix: config.messagesPrefix }));
  if (adminToken !== undefined)
    parts.push(
      `${colors.bold('Your admin token')}, shown only once: ${colors.green(adminToken)}\n${colors.dim(`Use it for the API under ${url}/admin/v1; see docs/admin-api.md.`)}`,
    );
  return `\n${parts.join('\n\n')}\n`;
}

function storeText({ data, database }: Config): string {
  return database === undefined ? relative(process.cwd(), data) || '.' : addressText(database);
}

function addressOf({ address: { host, port } }: Gateway): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function listed(models: readonly string[]): string {
  if (models.length === 0) return 'none';
  const more = models.length > modelsShown ? ` and ${models.length - modelsShown} more` : '';
  return models.slice(0, modelsShown).join(', ') + more;
}

function notesOn({ providers, missed }: Findings): string[] {
  const lines = [
    ...providers.map(({ preset, models }) => `${colors.green('✓')} ${preset}: ${models.length} models added`),
    ...missed.map(({ preset, reason }) => `${colors.yellow('!')} ${preset}: ${reason}`),
  ];
  return lines.length > 0 ? [lines.join('\n')] : [];
}

function newKey(
  key: string,
  url: string,
  { models, messagesPrefix }: { models: readonly string[]; messagesPrefix: string },
): string {
  const wanted = ['sim-chat', 'sim-think', 'sim-tools'].filter((name) => models.includes(name));
  const curls = wanted.map((name) => curl(url, key, examples[name as keyof typeof examples]));
  return [
    `${colors.bold('Your API key')}, shown only once: ${colors.green(key)}`,
    'Paste one of these commands into another terminal:',
    ...curls,
    ...(models.includes('sim-chat') ? [responsesCurl(url, key), messagesCurl(`${url}${messagesPrefix}`, key)] : []),
    `curl ${url}/v1/models -H 'Authorization: Bearer ${key}'`,
  ].join('\n\n');
}

/** The `sim-chat` example for `/v1/responses`. */
function responsesCurl(url: string, key: string): string {
  const { model, messages } = examples['sim-chat'];
  const body = JSON.stringify({ model, input: messages[0].content, stream: true });
  return `curl -N ${url}/v1/responses -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`;
}

function messagesCurl(url: string, key: string): string {
  const body = JSON.stringify({ ...examples['sim-chat'], max_tokens: 200 });
  return `curl -N ${url}/v1/messages -H 'x-api-key: ${key}' -H 'Content-Type: application/json' -d '${body}'`;
}

function keyHint(file: string | undefined): string {
  const config = file === undefined ? '' : ` --config ${file}`;
  return `Use an existing key, or create one: ${colors.cyan(`npx chat-gateway keys create --account NAME --name laptop${config}`)}`;
}

/** All set `stream: true`: the overview page warns about requests without it. */
const examples = {
  'sim-chat': { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello! Who are you?' }], stream: true },
  'sim-think': { model: 'sim-think', messages: [{ role: 'user', content: 'Why is the sky blue?' }], stream: true },
  'sim-tools': {
    model: 'sim-tools',
    messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
    stream: true,
    tools: [
      {
        type: 'function',
        function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    ],
  },
} as const;

function curl(url: string, key: string, body: object): string {
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  return `curl -N ${url}/v1/chat/completions ${headers} -d '${JSON.stringify(body)}'`;
}
