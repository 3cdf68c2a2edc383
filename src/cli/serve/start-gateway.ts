import { join, relative } from 'node:path';
import { firstAdminToken } from '../../manage/admin/api/tokens.ts';
import { failpointFrom } from '../../platform/config/failpoint.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import { firstSetupPath } from '../../manage/console/setup-link.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Gateway, GatewayOptions } from '../../app/gateway.ts';
import type { ConfigSource } from './config-source.ts';
import { CliError, details } from '../terminal/output.ts';
import { storeServedPort } from './served-port.ts';
import { sourceStamp } from './source-stamp.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { createKey, keyState, keys } from '../../money/accounts/keys.ts';
import { colors } from '../colors.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Findings } from '../../platform/config/discovered.ts';
import type { SnippetEndpoint, SnippetRequest } from 'chat-formats/snippets/snippet-request.ts';
import { snippet } from 'chat-formats/snippets/snippet.ts';
import { addressText } from '../../platform/store/postgres/postgres-address.ts';

/** Whether this runs from TypeScript source. A build contains its own time stamp. */
const isSource = import.meta.filename.endsWith('.ts');

type StartOptions = Pick<GatewayOptions, 'configFile' | 'onWaiting' | 'worker' | 'reload'>;

/** Starts the gateway in this process. Throws a `CliError` if its port is in use. */
export async function launchGateway(loaded: LoadedConfig, options: StartOptions): Promise<Gateway> {
  try {
    // Only `serve` needs the whole gateway; the other commands do not load it.
    const { startGateway } = await import('../../app/main.ts');
    const failpoint = failpointFrom(process.env);
    const build = isSource ? sourceStamp(join(import.meta.dirname, '../../..')) : undefined;
    return await startGateway(loaded, { ...options, env: process.env, build, failpoint });
  } catch (error) {
    throw addressTaken(error, loaded) ?? error;
  }
}

/** Creates the first key, admin token and setup link if they are missing; returns the text to print at start. */
export async function prepareAnnouncement(
  gateway: Gateway,
  { config }: LoadedConfig,
  { file, found }: Pick<ConfigSource, 'file' | 'found'>,
): Promise<string> {
  await storeServedPort(gateway.store, gateway.address.port);
  const key = file === undefined ? await firstKey(gateway) : undefined;
  const making = { store: gateway.store, clock: systemClock, pepper: gateway.pepper };
  const adminToken = await firstAdminToken(making);
  const setup = await firstSetupPath(making);
  return banner({ gateway, file, found, key, adminToken, setup, config });
}

/** Frees the memory that only the start needed, a sixth of the heap. V8 alone would keep it until there is load. */
export function freeStartMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function addressTaken(error: unknown, { config }: LoadedConfig): CliError | undefined {
  const { host, port, healthPort } = config.listen;
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return undefined;
  if (healthPort !== undefined && healthPort !== port && 'port' in error && error.port === healthPort) {
    return new CliError('health_port_taken', { port: healthPort, host }, { cause: error });
  }
  return new CliError('port_taken', { port, host, other: port + 1 }, { cause: error });
}

const demoAccount = 'demo';

/** Creates a key if the demo account has no active one; returns its secret, which must be shown now. */
async function firstKey({ store, pepper }: Gateway): Promise<string | undefined> {
  const account = await accounts(store, systemClock).find(demoAccount);
  if (!account) return undefined;
  const existing = await keys(store, systemClock).list({ accountId: account.id });
  if (existing.some((key) => keyState(key, systemClock.now()) === 'active')) return undefined;
  const parts = { store, clock: systemClock, pepper };
  const { secret } = await createKey(parts, { accountId: account.id, name: 'first key' });
  return secret;
}

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
function banner({ gateway, file, found, key, adminToken, setup, config }: BannerParts): string {
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
    ['config', file ?? `none, using defaults; ${url}/docs/configuration describes the file`],
    ['models', listed(models)],
  ]);
  const parts = [`${colors.bold('Chat Gateway')} ${colors.dim(version)}`, facts];
  if (found) parts.push(...notesOn(found));
  parts.push(key === undefined ? keyHint(file) : newKey(key, url, { models, messagesPrefix: config.messagesPrefix }));
  if (adminToken !== undefined)
    parts.push(
      `${colors.bold('Your admin token')}, shown only once: ${colors.green(adminToken)}\n${colors.dim(`Use it for the API under ${url}/admin/v1, which ${url}/docs/admin-api describes.`)}`,
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
  const curl = (endpoint: SnippetEndpoint, more?: Partial<SnippetRequest>) => {
    const baseUrl = `${url}${endpoint === 'messages' ? messagesPrefix : '/v1'}`;
    return snippet('curl', { endpoint, baseUrl, key, isOneLine: true, ...more });
  };
  const example = { model: 'sim-chat', prompt: 'Hello! Who are you?' };
  const chats = [
    example,
    { model: 'sim-think', prompt: 'Why is the sky blue?' },
    { model: 'sim-tools', body: toolBody },
  ];
  return [
    `${colors.bold('Your API key')}, shown only once: ${colors.green(key)}`,
    'Paste one of these commands into another terminal:',
    ...chats.filter(({ model }) => models.includes(model)).map((chat) => curl('chat', chat)),
    ...(models.includes('sim-chat') ? [curl('responses', example), curl('messages', example)] : []),
    curl('models'),
  ].join('\n\n');
}

function keyHint(file: string | undefined): string {
  const config = file === undefined ? '' : ` --config ${file}`;
  return `Use an existing key, or create one: ${colors.cyan(`npx chat-gateway keys create --account NAME --name laptop${config}`)}`;
}

const toolBody = {
  messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
  stream: true,
  tools: [
    {
      type: 'function',
      function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  ],
};
