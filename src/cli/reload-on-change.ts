import { resolve } from 'node:path';
import { emptiedSections } from '../platform/config/schema/empty-sections.ts';
import type { LoadedConfig } from '../platform/config/load.ts';
import type { RefusedReload, Reload, ReloadState } from '../platform/config/file/reload.ts';
import { watchFile } from '../platform/config/file/watch.ts';
import { systemClock } from '../core/time/clock.ts';
import { type ConfigSource, UnusableFile } from './serve/config-source.ts';
import { CliError, failureOf } from './terminal/output.ts';

export interface GatewayControls {
  /** Applies a configuration completely, or throws and changes nothing. */
  readonly apply: (loaded: LoadedConfig) => Promise<{ readonly needsRestart: readonly string[] }>;
  readonly reloaded: (reload: Reload) => void;
}

export interface RunningGateway extends GatewayControls {
  readonly loaded: LoadedConfig;
  readonly reload: ReloadState;
}

/**
 * Applies the file again when it changes or on SIGHUP. A file with problems changes nothing. A reload during the start
 * is applied once the gateway runs.
 */
export async function reloadOnChange(source: ConfigSource, starting: Promise<RunningGateway>): Promise<void> {
  const { file } = source;
  if (file === undefined) return;
  let applying = starting;
  const next = () => {
    applying = applying.then((running) => reload(file, source, running));
  };
  process.on('SIGHUP', next);
  await watchFile(resolve(file), next).started;
}

/** Reloads once; returns the state in force after that. */
async function reload(file: string, source: ConfigSource, running: RunningGateway): Promise<RunningGateway> {
  try {
    const loaded = await source.load();
    if (!source.allowsEmpty) rejectEmptied(file, running.loaded, loaded);
    const { needsRestart } = await running.apply(loaded);
    const state = { isSuccessful: true, succeededAt: systemClock.now() };
    running.reloaded({ state });
    console.log(`${file} was applied.`);
    if (needsRestart.length > 0) console.log(`Restart the gateway to apply: ${needsRestart.join(', ')}.`);
    return { ...running, loaded, reload: state };
  } catch (error) {
    const state = { ...running.reload, isSuccessful: false };
    running.reloaded({ state, refusal: rejectionOf(file, error) });
    return { ...running, reload: state };
  }
}

function rejectionOf(file: string, error: unknown): RefusedReload {
  if (error instanceof UnusableFile) return { file, reason: error.summary, problems: error.problems };
  const { message, next } = failureOf(error);
  return { file, reason: next === undefined ? message : `${message} ${next}`, problems: [] };
}

/** A file without any models is usually half written or emptied by mistake, so it is rejected. */
function rejectEmptied(file: string, before: LoadedConfig, next: LoadedConfig): void {
  const emptied = emptiedSections(before.resources, next.resources).map((section) => `\`${section}\``);
  if (emptied.length === 0) return;
  throw new CliError('config_emptied', { file, sections: emptied.join(' and ') });
}
