import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { type Config, configFrom, configSchema } from './config.ts';
import type { Environment } from './environment.ts';
import { fallbackCircles } from './file/fallback-circles.ts';
import { check, type CheckResult } from './file/check-schema.ts';
import { type ConfigProblem, type LocatedProblem, type Path, pathText } from './file/problem.ts';
import { danglingReferences } from './file/references.ts';
import { type Resource, resourcesOf } from './schema/resource.ts';
import { entries, entriesOf, isRecord } from './file/sections.ts';
import { takenNames } from './file/taken-names.ts';
import { incompleteUpstreams, unfitUpstreams, type UpstreamKind } from './schema/upstream-kind.ts';
import { readYaml, type YamlSource } from './file/yaml-source.ts';
import { broken, type BrokenRule } from 'chat-formats/reasons/reason.ts';
import type { UpstreamSpec } from './schema/upstream.ts';

export type { Config } from './config.ts';

/** A valid configuration, in the form for the code and in the form for the store. */
export interface LoadedConfig {
  readonly config: Config;
  readonly resources: readonly Resource[];
  /** Whether the file sets `listen.port`. If not, the gateway may use another port than the default. */
  readonly saysPort?: boolean;
}

export type ParsedConfig =
  | ({ readonly ok: true } & LoadedConfig)
  | { readonly ok: false; readonly problems: readonly LocatedProblem[] };

export interface ParseOptions {
  readonly env: Environment;
  /** Relative paths in the configuration are relative to the folder of this file. */
  readonly fileName: string;
  readonly kinds: readonly UpstreamKind[];
}

/** Far above the size of any real configuration: a larger file is probably the wrong file. */
const fileBytesMax = 4 * 1024 * 1024;

/** Parses a configuration completely or not at all. It reports all problems at once. */
export function parseConfig(text: string, { env, fileName, kinds }: ParseOptions): ParsedConfig {
  if (Buffer.byteLength(text) > fileBytesMax)
    return refused([wholeFile(broken('file_too_large', { max: '4 MiB' }), 'Is it the right file?')]);
  const source = readYaml(text, env);
  const { data, checked } = checkWithEnvironment(source);
  const unlocated = [
    ...(checked.ok ? [] : checked.problems),
    ...missingSecret(data),
    ...takenNames(data),
    ...danglingReferences(data),
    ...unallowedBodies(data),
    ...fallbackCircles(data),
    ...unfitUpstreams(data, kinds),
    ...incompleteUpstreams(data, kinds),
  ];
  const problems = [...source.problems, ...(source.readable ? located(unlocated, source) : [])];
  if (!checked.ok || problems.length > 0) return refused(problems);
  const config = configFrom(checked.value);
  const folder = dirname(fileName);
  const { upstreams, problems: unread } = withCertificates(config.upstreams, folder);
  if (unread.length > 0) return refused(located(unread, source));
  return {
    ok: true,
    config: { ...config, upstreams, data: resolve(folder, config.data) },
    resources: resourcesOf(isRecord(data) ? data : {}),
    saysPort: isRecord(data) && isRecord(data['listen']) && data['listen']['port'] !== undefined,
  };
}

/** Reads the file. It returns the text too, so that callers can show problems in their lines. */
export async function loadConfigFile(
  path: string,
  options: Omit<ParseOptions, 'fileName'>,
): Promise<ParsedConfig & { readonly text: string }> {
  let text: string;
  try {
    const { size } = await stat(path);
    // One byte above the limit is enough for the parser to refuse the file.
    text = size > fileBytesMax ? ' '.repeat(fileBytesMax + 1) : await readFile(path, 'utf8');
  } catch (error) {
    const rule = broken('file_unreadable', { problem: error instanceof Error ? error.message : String(error) });
    return { ...refused([wholeFile(rule, 'Check the path and the permissions.')]), text: '' };
  }
  return { ...parseConfig(text, { ...options, fileName: path }), text };
}

/** Values from the environment are text. If text is the wrong type, the value is parsed as YAML: `8080`, `true`. */
function checkWithEnvironment(source: YamlSource): { data: unknown; checked: CheckResult<typeof configSchema> } {
  const written = source.data ?? {};
  const first = check(configSchema, written);
  if (first.ok) return { data: written, checked: first };
  const textual = first.problems.filter(({ path }) => source.origin(path) === 'environment');
  const data = textual.reduce<unknown>((current, { path }) => rereadAt(current, path), written);
  const second = check(configSchema, data);
  if (second.ok) return { data, checked: second };
  const wrong = new Set(second.problems.map(({ path }) => pathText(path)));
  const problems = first.problems.filter(({ path }) => wrong.has(pathText(path)));
  return { data, checked: { ok: false, problems } };
}

function rereadAt(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return typeof value === 'string' && /^[\w.+-]+$/.test(value) ? parseYaml(value) : value;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? rereadAt(item, rest) : item));
  if (!isRecord(value)) return value;
  return { ...value, [step]: rereadAt(value[step], rest) };
}

/** Keys are checked with the secret. With a key file, each machine would refuse the keys of the others. */
function missingSecret(data: unknown): ConfigProblem[] {
  if (!isRecord(data) || data.database === undefined || data.secret !== undefined) return [];
  const fix =
    'Add `secret: ${GATEWAY_SECRET}` and set that variable everywhere to the same 32 or more random characters.';
  return [{ path: ['database'], isAtName: true, ...broken('secret_missing_for_database'), fix }];
}

function located(problems: readonly ConfigProblem[], source: YamlSource): LocatedProblem[] {
  return problems
    .filter(({ path }) => source.origin(path) !== 'unresolved')
    .map(({ path, isAtName, ...problem }) => ({
      ...source.position(path, isAtName),
      path: pathText(path) || wholeFileName,
      ...problem,
    }));
}

const wholeFileName = 'The file';

function wholeFile(rule: BrokenRule, fix: string): LocatedProblem {
  return { line: 1, column: 1, path: wholeFileName, ...rule, fix };
}

function refused(problems: readonly LocatedProblem[]): { ok: false; problems: readonly LocatedProblem[] } {
  return { ok: false, problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** Finds keys with `store_bodies` in a file without `stored_bodies`. */
function unallowedBodies(data: unknown): readonly ConfigProblem[] {
  if (isRecord(data) && data.stored_bodies !== undefined) return [];
  const fix = 'Add `stored_bodies: {}` to the file, or remove `store_bodies`.';
  return entries(data, 'accounts')
    .flatMap((account) => entriesOf(account, 'keys'))
    .filter(({ value }) => value.store_bodies === true)
    .map(({ path }) => ({ path: [...path, 'store_bodies'], ...broken('bodies_not_enabled'), fix }));
}

const certificateBytesMax = 1024 * 1024;

/** Reads the certificate files of upstreams. It runs at each reload, which therefore applies changed certificates. */
function withCertificates(
  upstreams: readonly UpstreamSpec[],
  folder: string,
): { readonly upstreams: readonly UpstreamSpec[]; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const read = upstreams.map((spec, index) => {
    if (spec.caFile === undefined) return spec;
    const file = resolve(folder, spec.caFile);
    try {
      return { ...spec, ca: certificatesIn(file) };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const fix = `Put PEM certificates into ${file}, or name the right file.`;
      problems.push({ path: ['upstreams', index, 'ca_file'], ...broken('unusable_certificate', { problem }), fix });
      return spec;
    }
  });
  return { upstreams: read, problems };
}

function certificatesIn(file: string): string {
  const text = readFileSync(file, 'utf8');
  if (text.length > certificateBytesMax) throw new Error('it is larger than 1 MiB');
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) throw new Error('it contains no certificate');
  return certificates.map((certificate) => new X509Certificate(certificate).toString()).join('\n');
}
