import { memoryArbiter } from '../../cluster/memory-arbiter.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { workersIn } from '../../config/schema/workers.ts';
import { systemClock } from '../../core/time/clock.ts';
import { workerStarter } from '../../workers/cluster-worker.ts';
import { freePort } from '../../workers/free-port.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import type { ConfigSource } from './config-source.ts';
import type { RunningGateway, GatewayControls } from '../reload-on-change.ts';
import { CliError } from '../output.ts';
import { endOnSignals, ignoreClosedStdout } from './stop-signals.ts';

/** Serves with several workers. This process only starts, watches and replaces them. */
export async function serveWithWorkers(
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
  const announcement = await pool.start();
  if (announcement !== undefined) console.log(announcement);
  ignoreClosedStdout();
  replaceWorkersOnSignal(pool);
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
