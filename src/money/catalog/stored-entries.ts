import { camelCased } from '../../platform/config/schema/values/camel-case.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Environment } from '../../platform/config/environment.ts';
import { check } from '../../platform/config/file/check-schema.ts';
import { type ModelSpec, modelSchema, modelSpec } from '../../platform/config/schema/model.ts';
import { type PackageSpec, packageSchema } from '../../platform/config/schema/package.ts';
import { type ConfigProblem, pathText } from '../../platform/config/file/problem.ts';
import { type SiteSpec, siteSchema } from '../../platform/config/schema/site.ts';
import { takenNames } from '../../platform/config/file/taken-names.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import { type UpstreamSpec, upstreamSchema, upstreamSpec } from '../../platform/config/schema/upstream.ts';
import { incompleteUpstreams, type UpstreamKind, unfitUpstreams } from '../../platform/config/schema/upstream-kind.ts';
import { type ResourceRow, sectionOf } from './resource-rows.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import { namedVariables, withSecrets } from './stored-secrets.ts';

export type Entries = Pick<Config, 'upstreams' | 'models' | 'packages' | 'sites'>;

export interface EntryContext {
  readonly env: Environment;
  readonly kinds: readonly UpstreamKind[];
  /** Opens the sealed secrets of the store. */
  readonly vault: SecretVault;
  /** The private addresses and environment variables that stored upstreams may use. */
  readonly egress: Config['egress'];
}

/** Why a stored entry cannot be used here. */
interface EntryProblem {
  readonly says: string;
  readonly fix: string;
}

/**
 * Reads stored entries in addition to those of the file. An entry that cannot be used here is left out and reported: a
 * variable that is missing on one machine must not disable all other entries.
 */
export function storedEntries(
  rows: readonly ResourceRow[],
  file: Entries,
  context: EntryContext,
): Entries & { readonly problems: readonly EntryProblem[] } {
  const upstreams: UpstreamSpec[] = [];
  const models: ModelSpec[] = [];
  const packages: PackageSpec[] = [];
  const sites: SiteSpec[] = [];
  const reported: EntryProblem[] = [];

  function readEntry(row: ResourceRow): readonly ConfigProblem[] {
    switch (row.kind) {
      case 'upstream': {
        const { spec, problems } = prepared(row, context);
        return problems.length > 0
          ? problems
          : collect(check(upstreamSchema, spec), (value) =>
              upstreams.push(confined(upstreamSpec(value), row, context)),
            );
      }
      case 'model':
        return collect(check(modelSchema, row.spec), (value) => models.push(modelSpec(value)));
      case 'package':
        return collect(check(packageSchema, row.spec), (value) => packages.push(camelCased(value)));
      case 'site':
        return collect(check(siteSchema, row.spec), (value) => sites.push(camelCased(value)));
      default:
        return row.kind satisfies never;
    }
  }

  for (const { row, claimed } of withClaims(rows, file)) {
    const found = claimed.length > 0 ? claimed : readEntry(row);
    reported.push(...found.map((problem) => entryProblem(row, problem)));
  }
  return { upstreams, models, packages, sites, problems: reported };
}

function collect<Value>(
  checked: { ok: true; value: Value } | { ok: false; problems: readonly ConfigProblem[] },
  keep: (value: Value) => void,
): readonly ConfigProblem[] {
  if (!checked.ok) return checked.problems;
  keep(checked.value);
  return [];
}

/**
 * Finds stored entries whose name the file uses too. Commands and files are checked when they are applied, but another
 * replica may have a newer file.
 */
function withClaims(rows: readonly ResourceRow[], file: Entries) {
  const sections: Record<string, unknown[]> = {
    upstreams: [...file.upstreams],
    models: [...file.models],
    packages: [...file.packages],
    sites: [...file.sites],
  };
  const positions = rows.map(
    (row) => `${sectionOf(row.kind)} ${(sections[sectionOf(row.kind)] ?? []).push(row.spec) - 1}`,
  );
  const problems = takenNames(sections);
  return rows.map((row, index) => ({
    row,
    claimed: problems
      .filter(({ path }) => `${path[0]} ${path[1]}` === positions[index])
      .map((problem): ConfigProblem => ({ ...problem, path: problem.path.slice(2) })),
  }));
}

function prepared({ spec: stored, source }: ResourceRow, { env, vault, kinds, egress }: EntryContext) {
  const usual = kinds.find(({ name }) => name === stored.kind && stored.base_url === undefined)?.environment ?? [];
  const refused = namedVariables(stored).filter((name) => ![...egress.variables, ...usual].includes(name));
  // The file's entries, which a process without the file reads from the store, name any variable.
  if (source === 'store' && refused.length > 0) return { spec: stored, problems: refused.map(forbiddenVariable) };
  const { spec, problems } = withSecrets(stored, { env, vault });
  const data = { upstreams: [spec] };
  const inside = (problem: ConfigProblem): ConfigProblem => ({ ...problem, path: problem.path.slice(2) });
  const unfit = unfitUpstreams(data, kinds).map(inside);
  if (source !== 'store') return { spec, problems: unfit };
  return { spec, problems: [...problems, ...unfit, ...incompleteUpstreams(data, kinds).map(inside)] };
}

function forbiddenVariable(variable: string): ConfigProblem {
  const fix = `Add ${variable} to \`egress.variables\` in the configuration file, or store the credential itself.`;
  return { path: [], ...broken('variable_not_allowed', { variable }), fix };
}

/**
 * Upstreams of the file may use private networks, because the operator configured them. All others are restricted to
 * `egress.allow`.
 */
function confined(spec: UpstreamSpec, { source }: ResourceRow, { egress }: EntryContext): UpstreamSpec {
  return source === 'file' ? spec : { ...spec, egressAllow: egress.allow };
}

function entryProblem({ kind, name }: ResourceRow, { path, message, fix }: ConfigProblem): EntryProblem {
  const sentence = `${pathText(path)} ${message}`.trim();
  return { says: `The stored ${kind} \`${name}\` is left out: ${sentence}.`, fix };
}
