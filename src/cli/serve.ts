import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { defaultConfig } from '../config/defaults.ts';
import { failpointFrom } from '../config/failpoint.ts';
import { type LoadedConfig, loadConfigFile } from '../config/load.ts';
import { renderProblems } from '../config/render-problems.ts';
import { watchFile } from '../config/watch.ts';
import { systemClock } from '../core/clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { knownKinds } from '../upstreams/presets.ts';
import { banner } from './banner.ts';
import { sayWaiting } from './context.ts';
import { discoverProviders, type Findings } from './discover-providers.ts';
import { firstAdminToken } from '../admin/tokens.ts';
import { firstSetupPath } from '../console/setup-link.ts';
import { firstKey } from './first-key.ts';
import { CliError } from './output.ts';
import { sourceStamp } from './source-stamp.ts';
import { configFileOf, databaseOf, type NamedStore, secretMissing } from './place.ts';

/** Whether this runs as it was written, and not from a build, which knows when it was made. */
const isSource = import.meta.filename.endsWith('.ts');

interface ServeOptions extends NamedStore {
  readonly host?: string;
  readonly port?: string;
}

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .option('--host <address>', 'listen on this address instead of the configured one')
    .option('--port <number>', 'listen on this port instead of the configured one')
    .addHelpText('after', '\nWithout --config it reads ./gateway.yaml if that exists, and runs on defaults otherwise.')
    .action((_options, command: Command) => serve(configFileOf(command), command.optsWithGlobals<ServeOptions>()));
}

async function serve(file: string | undefined, options: ServeOptions): Promise<void> {
  const found = file === undefined ? await discoverProviders(process.env) : undefined;
  const load = () => (file === undefined ? fromDefaults(found, options) : fromFile(file, options));
  const running = Promise.withResolvers<Gateway>();
  if (file !== undefined) await keepApplying(running.promise, file, load);
  const loaded = await load();
  const gateway = await started(loaded, file);
  endOnSignal(gateway);
  const key = file === undefined ? await firstKey(gateway) : undefined;
  const making = { store: gateway.store, clock: systemClock, pepper: gateway.pepper };
  const adminToken = await firstAdminToken(making);
  const setup = await firstSetupPath(making);
  giveBack();
  console.log(banner({ gateway, file, found, key, adminToken, setup, config: loaded.config }));
  goOnUnread();
  running.resolve(gateway);
}

/** What only the start needed, a sixth of what the process has by now. V8 alone would keep it until there is load. */
function giveBack(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Commands end when nobody reads what they print. A gateway has said what it had to say, and serves on. */
function goOnUnread(): void {
  process.stdout.removeAllListeners('error').on('error', () => {});
}

async function fromFile(file: string, options: ServeOptions): Promise<LoadedConfig> {
  const loaded = await loadConfigFile(resolve(file), { env: process.env, kinds: knownKinds });
  if (loaded.ok) return overridden(loaded, options);
  throw new CliError(`${file} cannot be used:\n\n${renderProblems(loaded.problems, loaded.text, file)}`, {
    next: 'Nothing was started or changed.',
  });
}

async function fromDefaults(found: Findings | undefined, options: ServeOptions): Promise<LoadedConfig> {
  const loaded = defaultConfig({ env: process.env, directory: process.cwd(), discovered: found?.providers });
  return overridden(loaded, options);
}

/** What the command line says counts for this start only. */
function overridden({ config, resources }: LoadedConfig, options: ServeOptions): LoadedConfig {
  const { host = config.listen.host, port } = options;
  const listen = { ...config.listen, host, port: port === undefined ? config.listen.port : portNumber(port) };
  const data = options.data === undefined ? config.data : resolve(options.data);
  const database = databaseOf(options, () => config.database);
  if (database !== undefined && config.secret === undefined) throw secretMissing();
  return { config: { ...config, listen, data, database }, resources };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError(`--port ${text} is not a port.`, { next: 'Give a number from 0 to 65535.', exitCode: 2 });
}

async function started(loaded: LoadedConfig, configFile: string | undefined): Promise<Gateway> {
  try {
    // Only this command needs the whole gateway; the others start without loading it.
    const { startGateway } = await import('../main.ts');
    const failpoint = failpointFrom(process.env);
    const build = isSource ? sourceStamp(join(import.meta.dirname, '../..')) : undefined;
    return await startGateway(loaded, { env: process.env, configFile, build, onWaiting: sayWaiting, failpoint });
  } catch (error) {
    const { host, port, healthPort } = loaded.config.listen;
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    if ('port' in error && error.port === healthPort && healthPort !== port) {
      throw new CliError(`The health port ${healthPort} on ${host} is taken by another program.`, {
        next: 'Stop that program, or choose another `listen.health_port`.',
        cause: error,
      });
    }
    throw new CliError(`Port ${port} on ${host} is taken by another program.`, {
      next: `Stop that program, or choose another port: chat-gateway serve --port ${port + 1}`,
      cause: error,
    });
  }
}

/**
 * Applies the file again when it changes or on SIGHUP. A file with problems changes nothing. A gateway may take long to
 * start: what is heard before it runs is applied then.
 */
async function keepApplying(running: Promise<Gateway>, file: string, load: () => Promise<LoadedConfig>): Promise<void> {
  let applying: Promise<unknown> = running;
  const reload = async (): Promise<void> => {
    try {
      const { needsRestart } = await (await running).apply(await load());
      console.log(`${file} was applied.`);
      if (needsRestart.length > 0) console.log(`Restart to change: ${needsRestart.join(', ')}.`);
    } catch (error) {
      console.error(`${file} was not applied, the gateway goes on as it was.`);
      console.error(error instanceof Error ? error.message : error);
    }
  };
  const next = () => {
    applying = applying.then(reload);
  };
  process.on('SIGHUP', next);
  await watchFile(resolve(file), next).started;
}

/** One stop may arrive as several signals: from a service manager, a terminal and a launcher at the same time. */
const sameStopMs = 500;

/**
 * The first signal lets running answers finish, the second ends them with a word, the third does not wait for that. An
 * error that nobody caught leaves unknown damage behind: the process finishes what runs and ends, to be started anew.
 */
function endOnSignal(gateway: Gateway): void {
  const signalsAt: number[] = [];
  let exitCode = 0;
  const stop = (grace?: { readonly graceMs: number }): void => {
    gateway.stop(grace).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  const end = () => {
    const now = systemClock.elapsed();
    const last = signalsAt.at(-1);
    if (last !== undefined && now - last < sameStopMs) return;
    signalsAt.push(now);
    if (signalsAt.length > 2) process.exit(1);
    if (last === undefined) {
      console.log('Stopping: running answers may finish. Press Ctrl-C again to end them now.');
      stop();
    } else {
      console.log('Stopping now.');
      stop({ graceMs: 0 });
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('uncaughtException', (error) => {
    gateway.report(error);
    if (exitCode === 1) return;
    exitCode = 1;
    if (signalsAt.length === 0) stop();
  });
}
