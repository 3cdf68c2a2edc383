import { resolve } from 'node:path';
import { colors } from '../colors.ts';
import { type Config, configSchema } from '../../platform/config/config.ts';
import { defaultConfig } from '../../platform/config/defaults.ts';
import type { Findings } from '../../platform/config/discovered.ts';
import { type LoadedConfig, loadConfigFile } from '../../platform/config/load.ts';
import type { LocatedProblem } from '../../platform/config/file/problem.ts';
import { renderProblems } from '../../platform/config/file/render-problems.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import { CliError } from '../terminal/output.ts';
import { databaseOf, type NamedStore, overrideWarning, secretMissing } from '../place.ts';
import { systemClock } from '../../core/time/clock.ts';
import { discover } from '../../serving/upstreams/providers/discovery.ts';
import { firstFreePort } from '../../operate/workers/free-port.ts';

export interface ServeOptions extends NamedStore {
  readonly host?: string;
  readonly port?: string;
  readonly workers?: string;
  readonly allowEmpty?: boolean;
}

/** Source of a server's configuration: a file, or defaults and the providers discovered on this machine. */
export interface ConfigSource {
  readonly file: string | undefined;
  readonly found: Findings | undefined;
  /** Whether a changed file may remove all models or all upstreams. */
  readonly allowsEmpty: boolean;
  /** Reads the current configuration. Throws a `CliError` if an operator can fix the cause. */
  load(): Promise<LoadedConfig>;
}

export async function configSource(file: string | undefined, options: ServeOptions): Promise<ConfigSource> {
  const found = file === undefined ? await discoverProviders(process.env) : undefined;
  let port: Promise<number> | undefined;
  return {
    file,
    found,
    allowsEmpty: options.allowEmpty === true,
    async load() {
      const loaded = overridden(file === undefined ? fromDefaults(found) : await fromFile(file), options);
      if (loaded.saysPort === true) return loaded;
      const { listen } = loaded.config;
      // Choose once. On a reload this gateway occupies the first port, so another one would be found free.
      port ??= choosePort(listen);
      return { ...loaded, config: { ...loaded.config, listen: { ...listen, port: await port } } };
    },
  };
}

async function fromFile(file: string): Promise<LoadedConfig> {
  const loaded = await loadConfigFile(resolve(file), { env: process.env, kinds: knownKinds });
  if (loaded.ok) return loaded;
  throw new UnusableFile(file, loaded);
}

/** A file with problems: rendered as text for a start, and as a list for the log of a running gateway. */
export class UnusableFile extends CliError<'config_invalid'> {
  /** One sentence, without the problems. */
  readonly summary: string;
  readonly problems: readonly LocatedProblem[];

  constructor(
    file: string,
    { problems, text }: { readonly problems: readonly LocatedProblem[]; readonly text: string },
  ) {
    super('config_invalid', { file, problems: renderProblems(problems, text, file) });
    this.summary = `${file} has ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}.`;
    this.problems = problems;
  }
}

function fromDefaults(found: Findings | undefined): LoadedConfig {
  return defaultConfig({ env: process.env, directory: process.cwd(), discovered: found?.providers });
}

/** Command-line options override the file, for this start only. */
function overridden({ config, resources, saysPort }: LoadedConfig, options: ServeOptions): LoadedConfig {
  const { host = config.listen.host, port } = options;
  const listen = { ...config.listen, host, port: port === undefined ? config.listen.port : portNumber(port) };
  const data = options.data === undefined ? config.data : resolve(options.data);
  const database = databaseOf(options, () => config.database);
  const warning = overrideWarning(options, config.database);
  if (warning !== undefined) console.error(`${colors.yellow('warning')} ${warning}`);
  const workers = options.workers === undefined ? config.workers : workersOption(options.workers);
  if (database !== undefined && config.secret === undefined) throw secretMissing();
  return {
    config: { ...config, listen, data, database, workers },
    resources,
    saysPort: port !== undefined || saysPort === true,
  };
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CliError('invalid_number', { option: '--port', value: text, min: 0, max: 65_535 }, { exitCode: 2 });
}

function workersOption(text: string): Config['workers'] {
  const parsed = configSchema.shape.workers.safeParse(/^\d+$/.test(text) ? Number(text) : text);
  if (parsed.success) return parsed.data;
  throw new CliError('invalid_workers', { value: text }, { exitCode: 2 });
}

async function discoverProviders(env: NodeJS.ProcessEnv): Promise<Findings> {
  const { found, missed } = await discover({ env, clock: systemClock });
  const providers = found.map(({ models, ...provider }) => ({ ...provider, models: models.map(({ id }) => id) }));
  return { providers, missed };
}

/** Number of ports to try if none is configured. Other programs, such as llama.cpp, use the default port too. */
const triedMax = 10;
const timeoutMs = 1000;

/**
 * Chooses a port if none is configured: the default one, or the next free one. If another gateway uses the default
 * port, returns that port, so that the start fails: two gateways on the same data would exceed the provider limits.
 */
async function choosePort({ host, port, healthPort }: Config['listen']): Promise<number> {
  const others = Array.from({ length: triedMax - 1 }, (_, index) => port + 1 + index);
  const chosen = await firstFreePort(host, [port, ...others.filter((other) => other !== healthPort)]);
  if (chosen === port || (await isGateway(host, port))) return port;
  console.log(`Port ${port} on ${host} is used by another program. This gateway uses port ${chosen}.`);
  return chosen;
}

async function isGateway(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { headers } = await fetch(`http://${name}:${port}/healthz`, { signal, redirect: 'manual' });
    return headers.has('x-gateway-version');
  } catch {
    return false;
  }
}
