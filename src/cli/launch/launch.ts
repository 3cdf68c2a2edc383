import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Account } from '../../money/accounts/accounts.ts';
import { keyEndpoints } from '../../manage/admin/keys/keys.ts';
import { closest } from '../../platform/config/file/closest.ts';
import type { Store } from '../../platform/store/store.ts';
import { accountOf, accountNames } from '../accounts/account-of.ts';
import { withAdmin } from '../admin-call.ts';
import { expiryOf } from '../terminal/option-values.ts';
import { systemClock } from '../../core/time/clock.ts';
import { CliError, failureOf } from '../terminal/output.ts';
import { hasStore, resolveGateway } from '../place.ts';
import { type Access, type LaunchableAgent, launchableAgents } from './agents.ts';
import { InterruptedError, LaunchSignals, statusOf } from './launch-signals.ts';
import {
  type GatewayAccess,
  limitsOf,
  type ListedModel,
  messagesPrefixOf,
  modelAt,
  modelsOf,
} from './reach-gateway.ts';

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
  const signals = new LaunchSignals();
  try {
    const key = await keyFor({ name, url, signals }, options, command);
    try {
      const gateway: GatewayAccess = { url, key, signal: signals.aborted };
      const model = await modelFor(agent, gateway, options.model);
      const limits = await limitsOf(gateway, messagesPrefix, model);
      const access: Access = { url, messagesPrefix, key: key.secret, model, limits };
      console.error(explanation(name, agent, { access, key }));
      process.exitCode = await runAgent(name, agent, { access, words, signals });
    } finally {
      // Later, a signal ends this process: the database may not respond.
      const timer = systemClock.after(revocationMs, () => signals.release());
      await key.revoke();
      systemClock.cancel(timer);
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    process.exitCode = error.status;
  } finally {
    signals.release();
  }
}

/** For this time, no signal ends the revocation of the key. */
const revocationMs = 10_000;

/** A key for one run of the agent. */
export interface LaunchKey {
  readonly secret: string;
  /** Where the key comes from, for the explanation. */
  readonly origin: string;
  /** The gateway may need a moment to read a key that was just created. */
  readonly isNew: boolean;
  /** Never rejects, so that the status of the agent is that of the command. */
  readonly revoke: () => Promise<void>;
}

async function keyFor(
  { name, url, signals }: { readonly name: string; readonly url: string; readonly signals: LaunchSignals },
  { account, expires }: LaunchOptions,
  command: Command,
): Promise<LaunchKey> {
  const given = process.env['GATEWAY_KEY'];
  if (given !== undefined && given !== '') {
    signals.hold();
    return { secret: given, origin: 'the key in GATEWAY_KEY', isNew: false, revoke: () => Promise.resolve() };
  }
  const target = resolveGateway(command);
  // Opening a store that does not exist would create it.
  if (!hasStore(target)) throw new CliError('launch_without_store', { data: target.data, url });
  return withAdmin(command, async (call, store) => {
    const owner = await payingAccount(store, account);
    const body = { account: owner.id, name: `launch ${name}`, expires_at: expiryOf(expires) };
    const request = { body, withSecret: true };
    signals.hold();
    const { id, secret } = await call<{ id: string; secret: string }>(keyEndpoints, 'createKey', request);
    const origin = `a new key of the account ${owner.name}. It is revoked when ${name} ends, and expires after ${expires}`;
    const revoke = () =>
      withAdmin(command, (admin) => admin<void>(keyEndpoints, 'revokeKey', { id })).catch((error: unknown) => {
        const { message } = failureOf(error);
        console.error(`The key ${id} could not be revoked: ${message}`);
        console.error(`It expires after ${expires}. To revoke it now: chat-gateway keys revoke ${id}`);
      });
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

async function modelFor(agent: LaunchableAgent, access: GatewayAccess, wanted: string | undefined): Promise<string> {
  const fits = ({ surfaces }: ListedModel): boolean => surfaces.includes(agent.surface);
  const usable = (await modelsOf(access)).filter(fits).map(({ id }) => id);
  const [first] = usable;
  if (first === undefined) throw new CliError('no_model_for_agent', { agent: agent.title });
  if (wanted === undefined || usable.includes(wanted)) return wanted ?? first;
  // An alias is not in the list.
  const model = await modelAt(access, wanted);
  if (model && fits(model)) return wanted;
  const names = { agent: agent.title, model: wanted, models: usable.slice(0, 10).join(', ') };
  throw new CliError('model_not_for_agent', names, { exitCode: 2, closest: closest(wanted, usable) });
}

interface Launch {
  readonly access: Access;
  readonly key: LaunchKey;
}

function explanation(name: string, agent: LaunchableAgent, { access, key }: Launch): string {
  const file = agent.settingsFile?.(access);
  const variables = [...Object.keys(agent.environment(access)), ...(file ? [file.variable] : [])].join(', ');
  const parameters = agent.parameters(access);
  const removed = agent.unset.filter((variable) => process.env[variable] !== undefined);
  return [
    `Starting ${agent.title} on ${access.model} at ${access.url}, with ${key.origin}.`,
    `Set for this run only: ${variables}${parameters.length > 0 ? `, and the arguments ${parameters.join(' ')}` : ''}.`,
    ...(removed.length > 0 ? [`Not passed on: ${removed.join(', ')}.`] : []),
    `No file of ${name} is changed. Without this command, ${name} starts as before.`,
  ].join('\n');
}

interface AgentRun {
  readonly access: Access;
  readonly words: readonly string[];
  readonly signals: LaunchSignals;
}

/** Returns the exit status of the agent. */
async function runAgent(name: string, agent: LaunchableAgent, { access, words, signals }: AgentRun): Promise<number> {
  signals.aborted.throwIfAborted();
  const settings = agent.settingsFile?.(access);
  const folder = settings && (await mkdtemp(join(tmpdir(), 'chat-gateway-launch-')));
  const env: NodeJS.ProcessEnv = { ...process.env, ...agent.environment(access) };
  for (const variable of agent.unset) delete env[variable];
  try {
    if (settings && folder !== undefined) {
      env[settings.variable] = join(folder, 'settings.json');
      await writeFile(join(folder, 'settings.json'), JSON.stringify(settings.settings));
    }
    return await runProgram(name, agent, { words: [...agent.parameters(access), ...words], env, signals });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

interface ProgramRun {
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly signals: LaunchSignals;
}

function runProgram(name: string, agent: LaunchableAgent, { words, env, signals }: ProgramRun): Promise<number> {
  const child = spawn(name, words, { stdio: 'inherit', env });
  signals.giveTo(child);
  return new Promise((resolve, reject) => {
    child.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOENT';
      reject(
        isMissing
          ? new CliError('agent_not_installed', { agent: name, package: agent.package })
          : new CliError('agent_not_started', { agent: name, problem: message }),
      );
    });
    child.on('exit', (status, signal) => resolve(status ?? statusOf(signal ?? 'SIGTERM')));
  });
}
