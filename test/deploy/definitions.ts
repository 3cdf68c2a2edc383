import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type LoadedConfig, parseConfig } from '../../src/platform/config/load.ts';
import { knownKinds } from '../../src/serving/upstreams/providers/presets.ts';

const root = join(import.meta.dirname, '../..');

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The parsed YAML file. It is untyped, because each test reads only some members. */
// oxlint-disable-next-line typescript/no-explicit-any
export const readYaml = (path: string): any => parse(readText(path), { merge: true });

export const filesIn = (pattern: string): readonly string[] => globSync(pattern, { cwd: root }).toSorted();

/** The configuration of a text with these environment variables. Throws the problems of an invalid one. */
export function configOf(text: string, variables: readonly string[]): LoadedConfig['config'] {
  const env = Object.fromEntries(variables.map((name) => [name, valueOf(name)]));
  const parsed = parseConfig(text, { env, fileName: '/etc/chat-gateway/gateway.yaml', kinds: knownKinds });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
  return parsed.config;
}

function valueOf(name: string): string {
  return name === 'DATABASE_URL' ? 'postgres://gateway:x@postgres:5432/gateway' : 'x'.repeat(64);
}
