import { join } from 'node:path';
import { type LoadedConfig, parseConfig } from '../src/config/load.ts';
import { knownKinds } from '../src/upstreams/presets.ts';

/** The configuration a file in the directory would give; a test with a wrong one fails with the problems. */
export function loadedConfig(text: string, directory: string): LoadedConfig {
  const parsed = parseConfig(text, { env: {}, fileName: join(directory, 'gateway.yaml'), kinds: knownKinds });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return parsed;
}
