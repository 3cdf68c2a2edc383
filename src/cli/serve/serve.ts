import type { Command } from 'commander';
import { workersIn } from '../../config/schema/workers.ts';
import { systemClock } from '../../core/time/clock.ts';
import { configSource, type ServeOptions } from './config-source.ts';
import { reloadOnChange, type RunningGateway } from '../reload-on-change.ts';
import { configFileOf } from '../place.ts';
import { serveAlone } from './serve-alone.ts';
import { isWorker, serveAsWorker } from './serve-worker.ts';
import { serveWithWorkers } from './serve-workers.ts';

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
