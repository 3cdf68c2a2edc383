import { resolve } from 'node:path';
import { emptiedSections } from '../config/empty-sections.ts';
import type { LoadedConfig } from '../config/load.ts';
import { watchFile } from '../config/watch.ts';
import type { ConfigSource } from './config-source.ts';
import { CliError } from './output.ts';

/** Takes another configuration into use, all of it or nothing; throws where that is not possible. */
export type Apply = (loaded: LoadedConfig) => Promise<{ readonly needsRestart: readonly string[] }>;

/** A gateway that serves: what it began with, and how it takes another configuration. */
export interface Running {
  readonly loaded: LoadedConfig;
  readonly apply: Apply;
}

/**
 * Applies the file again when it changes or on SIGHUP. A file with problems changes nothing. A gateway may take long to
 * start: what is heard before it runs is applied then.
 */
export async function keepApplying(source: ConfigSource, starting: Promise<Running>): Promise<void> {
  const { file } = source;
  if (file === undefined) return;
  let applying: Promise<unknown> = starting;
  let inForce: LoadedConfig | undefined;
  const reload = async (): Promise<void> => {
    try {
      const { loaded, apply } = await starting;
      const next = await source.load();
      if (!source.allowsEmpty) refuseEmptied(file, inForce ?? loaded, next);
      const { needsRestart } = await apply(next);
      inForce = next;
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

/** A file that lost all its models is half written or was emptied by mistake far more often than on purpose. */
function refuseEmptied(file: string, before: LoadedConfig, next: LoadedConfig): void {
  const emptied = emptiedSections(before.resources, next.resources).map((section) => `\`${section}\``);
  if (emptied.length === 0) return;
  throw new CliError(
    `${file} has no ${emptied.join(' and no ')} any more: every request for what it had would be refused. ` +
      'Write them back, or start the gateway with --allow-empty if a file may remove all of them.',
  );
}
