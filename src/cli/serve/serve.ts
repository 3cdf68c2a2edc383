import type { Command } from 'commander';
import { workersIn } from '../../platform/config/schema/workers.ts';
import { systemClock } from '../../core/time/clock.ts';
import { configSource, type ServeOptions, type ConfigSource } from './config-source.ts';
import { reloadOnChange, type RunningGateway, type GatewayControls } from '../reload-on-change.ts';
import { configFileOf } from '../place.ts';
import { isWorker, serveAsWorker } from './serve-worker.ts';
import type { Gateway } from '../../app/gateway.ts';
import { printWaiting } from '../context.ts';
import { prepareAnnouncement, freeStartMemory, launchGateway } from './start-gateway.ts';
import { endOnSignals, ignoreClosedStdout } from './stop-signals.ts';
import { memoryArbiter } from '../../platform/cluster/memory-arbiter.ts';
import type { LoadedConfig } from '../../platform/config/load.ts';
import { workerStarter } from '../../operate/workers/cluster-worker.ts';
import { freePort } from '../../operate/workers/free-port.ts';
import { WorkerPool } from '../../operate/workers/worker-pool.ts';
import { CliError } from '../terminal/output.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('Run the gateway.')
    .option('--host <address>', 'address to listen on; overrides the configuration')
    .option('--port <number>', 'port to listen on; overrides the configuration')
    .option('--workers <number>', 'number of worker processes, or `auto` for one per core')
    .option('--allow-empty', 'allow a changed configuration file to remove all models or all upstreams')
    .addHelpText('after', '\nWithout --config it reads ./gateway.yaml if that file exists; otherwise it uses defaults.')
    .action((_options, command: Command) => serve(configFileOf(command), command.optsWithGlobals<ServeOptions>()));
}

/** Serves in this process if one worker is configured, otherwise with a parent and workers. */
async function serve(file: string | undefined, options: ServeOptions): Promise<void> {
  if (isWorker()) return serveAsWorker();
  const source = await configSource(file, options);
  const running = Promise.withResolvers<RunningGateway>();
  await reloadOnChange(source, running.promise);
  const loaded = await source.load();
  const reload = { isSuccessful: true, succeededAt: systemClock.now() };
  const initial = { loaded, reload };
  const starting = workersIn(loaded.config) === 1 ? serveAlone(source, initial) : serveWithWorkers(source, initial);
  running.resolve({ ...initial, ...(await starting) });
}

async function serveAlone(
  source: ConfigSource,
  { loaded, reload }: Pick<RunningGateway, 'loaded' | 'reload'>,
): Promise<GatewayControls> {
  const gateway = await launchGateway(loaded, { configFile: source.file, onWaiting: printWaiting, reload });
  stopOnSignalsAndErrors(gateway);
  const announcement = await prepareAnnouncement(gateway, loaded, source);
  freeStartMemory();
  console.log(announcement);
  ignoreClosedStdout();
  return gateway;
}

/** After an uncaught error the state is unknown: the process finishes running requests and exits, to be restarted. */
function stopOnSignalsAndErrors(gateway: Gateway): void {
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
  const { hasBegun } = endOnSignals({ stop, endNow: () => process.exit(1) });
  process.on('uncaughtException', (error) => {
    gateway.report(error);
    if (exitCode === 1) return;
    exitCode = 1;
    if (!hasBegun()) stop();
  });
}

/** Serves with several workers. This process only starts, watches and replaces them. */
async function serveWithWorkers(
  { file, found }: ConfigSource,
  { loaded, reload }: Pick<RunningGateway, 'loaded' | 'reload'>,
): Promise<GatewayControls> {
  const withPorts = await fixedPorts(loaded);
  const pool = new WorkerPool(
    {
      clock: systemClock,
      workers: workersIn(loaded.config),
      source: { file, found },
      reload,
      fork: workerStarter(),
      // A worker that exits leaves the arbiter at once, so every registered worker exists, even if it is frozen.
      arbiter: memoryArbiter(systemClock.elapsed, () => true),
      complain: (sentence) => console.error(sentence),
    },
    withPorts(loaded),
  );
  stopOnSignals(pool);
  replaceWorkersOnSignal(pool);
  const announcement = await pool.start();
  if (announcement !== undefined) console.log(announcement);
  ignoreClosedStdout();
  return {
    async apply(next) {
      const applied = await pool.apply(withPorts(next));
      if (!applied.ok) throw new CliError('worker_rejected_config', { problem: applied.message });
      return applied;
    },
    reloaded: (outcome) => pool.reloaded(outcome),
  };
}

/** Replaces port 0 with a free port now, because workers that start later must listen on the same port. */
async function fixedPorts({ config }: LoadedConfig): Promise<(loaded: LoadedConfig) => LoadedConfig> {
  const { host, port, healthPort } = config.listen;
  const chosen = port === 0 ? await freePort(host) : port;
  const chosenHealth = healthPort === 0 ? await freePort(host) : healthPort;
  return (loaded) => {
    const configured = loaded.config.listen;
    const listen = {
      ...configured,
      port: configured.port === 0 ? chosen : configured.port,
      healthPort: configured.healthPort === 0 ? chosenHealth : configured.healthPort,
    };
    return { config: { ...loaded.config, listen }, resources: loaded.resources };
  };
}

function stopOnSignals(pool: WorkerPool): void {
  endOnSignals({
    stop: (grace) => void pool.stop(grace?.graceMs).then(() => process.exit(0)),
    endNow() {
      pool.kill();
      process.exit(1);
    },
  });
}

/** On SIGUSR2 replaces the workers one by one. Each new worker loads the program that is on disk then. */
function replaceWorkersOnSignal(pool: WorkerPool): void {
  process.on('SIGUSR2', () => {
    console.log('Replacing the workers one by one. No request is aborted.');
    void pool.roll().then((isDone) => {
      if (isDone) console.log('All workers were replaced.');
      else console.error('Not all workers were replaced. The others keep running as before.');
    });
  });
}
