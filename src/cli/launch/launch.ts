import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Command } from 'commander';
import type { Account } from '../../accounts/accounts.ts';
import { keyEndpoints } from '../../admin/keys/keys.ts';
import { closest } from '../../config/file/closest.ts';
import type { Store } from '../../store/store.ts';
import { accountOf, accountNames } from '../accounts/account-of.ts';
import { withAdmin } from '../admin-call.ts';
import { expiryOf } from '../option-values.ts';
import { CliError } from '../output.ts';
import { resolveGateway } from '../place.ts';
import { type Access, type LaunchableAgent, launchableAgents } from './agents.ts';
import { type ListedModel, messagesPrefixOf, modelsOf } from './reach-gateway.ts';

export function registerLaunch(program: Command): void {
  const names = Object.keys(launchableAgents);
  program
    .command('launch')
    .argument('<agent>', names.join(', '))
    .argument('[arguments...]', 'arguments for the agent, after --')
    .option('--model <model>', 'model that the agent uses; default: the first one that it can use')
    .option('--account <account>', 'account that pays, by name or id; default: the only account')
    .option('--expires <duration>', 'time after which the key expires even if the agent still runs', '12h')
    .option('--url <url>', 'address of the gateway; default: this machine, with the configured port')
    .description(
      'Start a coding agent on this gateway, with a key that is revoked when the agent ends. GATEWAY_KEY in the environment is used instead of a new key. No file of the agent is changed.',
    )
    .action(launch);
}

interface LaunchOptions {
  readonly model?: string;
  readonly account?: string;
  readonly expires: string;
  readonly url?: string;
}

async function launch(name: string, words: readonly string[], options: LaunchOptions, command: Command): Promise<void> {
  const agent = Object.hasOwn(launchableAgents, name) ? launchableAgents[name] : undefined;
  if (!agent) {
    const names = Object.keys(launchableAgents);
    throw new CliError('unknown_agent', { agent: name, names: names.join(', ') }, { exitCode: 2 });
  }
  const url = (options.url ?? resolveGateway(command).url).replace(/\/+$/, '');
  const messagesPrefix = await messagesPrefixOf(url);
  const key = await keyFor(name, options, command);
  try {
    const model = modelFor(agent, await modelsOf(url, key), options.model);
    const access: Access = { url, messagesPrefix, key: key.secret, model };
    console.error(explanation(name, agent, { access, key }));
    process.exitCode = await runAgent(name, agent, { access, words });
  } finally {
    await key.revoke();
  }
}

/** A key for one run of the agent. */
export interface LaunchKey {
  readonly secret: string;
  /** Where the key comes from, for the explanation. */
  readonly origin: string;
  /** The gateway may need a moment to read a key that was just created. */
  readonly isNew: boolean;
  readonly revoke: () => Promise<void>;
}

async function keyFor(name: string, { account, expires }: LaunchOptions, command: Command): Promise<LaunchKey> {
  const given = process.env['GATEWAY_KEY'];
  if (given !== undefined && given !== '') {
    return { secret: given, origin: 'the key in GATEWAY_KEY', isNew: false, revoke: () => Promise.resolve() };
  }
  return withAdmin(command, async (call, store) => {
    const owner = await payingAccount(store, account);
    const body = { account: owner.id, name: `launch ${name}`, expires_at: expiryOf(expires) };
    const request = { body, withSecret: true };
    const { id, secret } = await call<{ id: string; secret: string }>(keyEndpoints, 'createKey', request);
    const origin = `a new key of the account ${owner.name}. It is revoked when ${name} ends, and expires after ${expires}`;
    const revoke = () => withAdmin(command, (admin) => admin<void>(keyEndpoints, 'revokeKey', { id }));
    return { secret, origin, isNew: true, revoke };
  });
}

async function payingAccount(store: Store, reference: string | undefined): Promise<Account> {
  if (reference !== undefined) return accountOf(store, reference);
  const [first, ...others] = [...(await accountNames(store)).values()];
  if (first === undefined) throw new CliError('account_missing');
  if (others.length > 0) {
    throw new CliError('account_ambiguous', { names: [first, ...others].slice(0, 10).join(', ') }, { exitCode: 2 });
  }
  return accountOf(store, first);
}

function modelFor(agent: LaunchableAgent, models: readonly ListedModel[], wanted: string | undefined): string {
  const usable = models.filter(({ surfaces }) => surfaces.includes(agent.surface)).map(({ id }) => id);
  const [first] = usable;
  if (first === undefined) throw new CliError('no_model_for_agent', { agent: agent.title });
  // An alias is not in the list. The gateway refuses a model that does not exist.
  if (wanted !== undefined && !usable.includes(wanted)) {
    const near = closest(wanted, usable);
    if (near !== undefined) console.error(`The catalog does not list ${wanted}. Did you mean ${near}?`);
  }
  return wanted ?? first;
}

interface Launch {
  readonly access: Access;
  readonly key: LaunchKey;
}

function explanation(name: string, agent: LaunchableAgent, { access, key }: Launch): string {
  const variables = Object.keys(agent.environment(access)).join(', ');
  const parameters = agent.parameters(access);
  return [
    `Starting ${agent.title} on ${access.model} at ${access.url}, with ${key.origin}.`,
    `Set for this run only: ${variables}${parameters.length > 0 ? `, and the arguments ${parameters.join(' ')}` : ''}.`,
    `No file of ${name} is changed. Without this command, ${name} starts as before.`,
  ].join('\n');
}

/** Returns the exit status of the agent. A signal that ends the agent does not end this process first. */
async function runAgent(
  name: string,
  agent: LaunchableAgent,
  { access, words }: { readonly access: Access; readonly words: readonly string[] },
): Promise<number> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...agent.environment(access) };
  for (const variable of agent.unset) delete env[variable];
  const child = spawn(name, [...agent.parameters(access), ...words], { stdio: 'inherit', env });
  // The terminal sends Ctrl-C to the agent too. This process must outlive the agent to revoke the key.
  const ignore = (): void => {};
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGINT', ignore).on('SIGTERM', pass).on('SIGHUP', pass);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT';
        reject(isMissing ? new CliError('agent_not_installed', { agent: name, package: agent.package }) : error);
      });
      child.on('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    });
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', pass).off('SIGHUP', pass);
  }
}
