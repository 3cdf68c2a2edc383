import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { withCertificates } from './certificates.ts';
import { type Config, configFrom, configSchema } from './config.ts';
import type { Environment } from './environment.ts';
import { fallbackCircles } from './fallback-circles.ts';
import { type CheckResult, check } from './findings.ts';
import { type ConfigFinding, type Path, type Problem, pathText } from './problem.ts';
import { danglingReferences } from './references.ts';
import { unallowedBodies } from './unallowed-bodies.ts';
import { type Resource, resourcesOf } from './resource.ts';
import { isRecord } from './sections.ts';
import { takenNames } from './taken-names.ts';
import { incompleteUpstreams, type UpstreamKind, unfitUpstreams } from './upstream-kind.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';
import { broken, type BrokenRule } from '../core/reasons/reason.ts';

export type { Config } from './config.ts';

/** A valid configuration: as the code reads it, and as the store keeps it. */
export interface LoadedConfig {
  readonly config: Config;
  readonly resources: readonly Resource[];
  /** Whether `listen.port` is written down; where it is not, another port than the usual one will do. */
  readonly saysPort?: boolean;
}

export type ParsedConfig =
  | ({ readonly ok: true } & LoadedConfig)
  | { readonly ok: false; readonly problems: readonly Problem[] };

export interface ParseOptions {
  readonly env: Environment;
  /** Relative paths in the configuration begin where this file lies. */
  readonly fileName: string;
  readonly kinds: readonly UpstreamKind[];
}

/** Far beyond any real configuration; a file this large is a mistake, such as the wrong file. */
const fileBytesMax = 4 * 1024 * 1024;

/** Reads a configuration completely or not at all; every problem is found in one go. */
export function parseConfig(text: string, { env, fileName, kinds }: ParseOptions): ParsedConfig {
  if (Buffer.byteLength(text) > fileBytesMax)
    return refused([wholeFile(broken('file_too_large', { max: '4 MiB' }), 'Is it the right file?')]);
  const source = readYaml(text, env);
  const { data, checked } = checkWithEnvironment(source);
  const findings = [
    ...(checked.ok ? [] : checked.findings),
    ...unshared(data),
    ...takenNames(data),
    ...danglingReferences(data),
    ...unallowedBodies(data),
    ...fallbackCircles(data),
    ...unfitUpstreams(data, kinds),
    ...incompleteUpstreams(data, kinds),
  ];
  const problems = [...source.problems, ...(source.readable ? located(findings, source) : [])];
  if (!checked.ok || problems.length > 0) return refused(problems);
  const config = configFrom(checked.value);
  const folder = dirname(fileName);
  const { upstreams, findings: unread } = withCertificates(config.upstreams, folder);
  if (unread.length > 0) return refused(located(unread, source));
  return {
    ok: true,
    config: { ...config, upstreams, data: resolve(folder, config.data) },
    resources: resourcesOf(isRecord(data) ? data : {}),
    saysPort: isRecord(data) && isRecord(data['listen']) && data['listen']['port'] !== undefined,
  };
}

/** Reads the file, and returns its text beside the problems so that they can be shown in it. */
export async function loadConfigFile(
  path: string,
  options: Omit<ParseOptions, 'fileName'>,
): Promise<ParsedConfig & { readonly text: string }> {
  let text: string;
  try {
    const { size } = await stat(path);
    // One byte beyond the limit is enough for the parser to refuse it.
    text = size > fileBytesMax ? ' '.repeat(fileBytesMax + 1) : await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      ...refused([wholeFile(broken('file_unreadable', { problem: reason }), 'Check the path and the permissions.')]),
      text: '',
    };
  }
  return { ...parseConfig(text, { ...options, fileName: path }), text };
}

/** What comes from the environment is text. Where that is the wrong type, it is read again as YAML would: `8080`, `true`. */
function checkWithEnvironment(source: YamlSource): { data: unknown; checked: CheckResult<typeof configSchema> } {
  const written = source.data ?? {};
  const first = check(configSchema, written);
  if (first.ok) return { data: written, checked: first };
  const textual = first.findings.filter(({ path }) => source.origin(path) === 'environment');
  const data = textual.reduce<unknown>((current, { path }) => rereadAt(current, path), written);
  const second = check(configSchema, data);
  if (second.ok) return { data, checked: second };
  const wrong = new Set(second.findings.map(({ path }) => pathText(path)));
  const findings = first.findings.filter(({ path }) => wrong.has(pathText(path)));
  return { data, checked: { ok: false, findings } };
}

function rereadAt(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return typeof value === 'string' && /^[\w.+-]+$/.test(value) ? parseYaml(value) : value;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? rereadAt(item, rest) : item));
  if (!isRecord(value)) return value;
  return { ...value, [step]: rereadAt(value[step], rest) };
}

/** Keys are checked with the secret; a file of one machine would make keys that the others refuse. */
function unshared(data: unknown): ConfigFinding[] {
  if (!isRecord(data) || data.database === undefined || data.secret !== undefined) return [];
  return [
    {
      path: ['database'],
      atName: true,
      ...broken('secret_missing_for_database'),
      fix: 'Add `secret: ${GATEWAY_SECRET}` and set that variable everywhere to the same 32 or more random characters.',
    },
  ];
}

function located(findings: readonly ConfigFinding[], source: YamlSource): Problem[] {
  return findings
    .filter(({ path }) => source.origin(path) !== 'unresolved')
    .map(({ path, atName, ...finding }) => ({
      ...source.position(path, atName),
      path: pathText(path) || wholeFileName,
      ...finding,
    }));
}

const wholeFileName = 'The file';

function wholeFile(rule: BrokenRule, fix: string): Problem {
  return { line: 1, column: 1, path: wholeFileName, ...rule, fix };
}

function refused(problems: readonly Problem[]): { ok: false; problems: readonly Problem[] } {
  return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}
