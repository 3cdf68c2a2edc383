import type { Command } from 'commander';
import { workersIn } from '../config/workers.ts';
import { systemClock } from '../core/clock.ts';
import { configSource, type ServeOptions } from './config-source.ts';
import { keepApplying, type RunningGateway } from './keep-applying.ts';
import { configFileOf } from './place.ts';
import { serveAlone } from './serve-alone.ts';
import { isWorker, serveAsWorker } from './serve-worker.ts';
import { serveWithWorkers } from './serve-workers.ts';

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the gateway')
    .option('--host <address>', 'listen on this address instead of the configured one')
    .option('--port <number>', 'listen on this port instead of the configured one')
    .option('--workers <number>', 'run so many processes behind the address, or `auto`: one for each core')
    .option('--allow-empty', 'let a changed configuration file remove all models or all upstreams')
    .addHelpText('after', '\nWithout --config it reads ./gateway.yaml if that exists, and runs on defaults otherwise.')
    .action((_options, command: Command) => serve(configFileOf(command), command.optsWithGlobals<ServeOptions>()));
}

/** One process serves alone; several have a parent. */
async function serve(file: string | undefined, options: ServeOptions): Promise<void> {
  if (isWorker()) return serveAsWorker();
  const source = await configSource(file, options);
  const running = Promise.withResolvers<RunningGateway>();
  await keepApplying(source, running.promise);
  const loaded = await source.load();
  const reload = { isSuccessful: true, succeededAt: systemClock.now() };
  const began = { loaded, reload };
  const starting = workersIn(loaded.config) === 1 ? serveAlone(source, began) : serveWithWorkers(source, began);
  running.resolve({ ...began, ...(await starting) });
}
