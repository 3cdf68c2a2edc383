import { join } from 'node:path';
import { type LoadedConfig, parseConfig } from '../../src/platform/config/load.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';

/** The configuration of a file with this text in the directory. Throws the problems of an invalid one. */
export function loadedConfig(text: string, directory: string): LoadedConfig {
  const parsed = parseConfig(text, { env: {}, fileName: join(directory, 'gateway.yaml'), kinds: knownKinds });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return parsed;
}
