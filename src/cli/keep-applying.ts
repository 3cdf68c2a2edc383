import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { watchFile } from '../config/watch.ts';
import type { ConfigSource } from './config-source.ts';

/** Takes another configuration into use, all of it or nothing; throws where that is not possible. */
export type Apply = (loaded: LoadedConfig) => Promise<{ readonly needsRestart: readonly string[] }>;

/**
 * Applies the file again when it changes or on SIGHUP. A file with problems changes nothing. A gateway may take long to
 * start: what is heard before it runs is applied then.
 */
export async function keepApplying(source: ConfigSource, running: Promise<Apply>): Promise<void> {
  const { file } = source;
  if (file === undefined) return;
  let applying: Promise<unknown> = running;
  const reload = async (): Promise<void> => {
    try {
      const apply = await running;
      const { needsRestart } = await apply(await source.load());
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
