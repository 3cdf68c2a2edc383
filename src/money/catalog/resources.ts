import type { Kysely } from 'kysely';
import { publishChange } from '../../platform/cluster/change-feed.ts';
import { suggestion } from '../../platform/config/file/closest.ts';
import { fallbackCircles } from '../../platform/config/file/fallback-circles.ts';
import { check } from '../../platform/config/file/check-schema.ts';
import { fieldProblems, type ConfigProblem } from '../../platform/config/file/problem.ts';
import { danglingReferences } from '../../platform/config/file/references.ts';
import { type Resource, type ResourceKind, resourceKinds } from '../../platform/config/schema/resource.ts';
import { takenNames } from '../../platform/config/file/taken-names.ts';
import { fileOnlyFields, upstreamSchema } from '../../platform/config/schema/upstream.ts';
import { incompleteUpstreams, type UpstreamKind, unfitUpstreams } from '../../platform/config/schema/upstream-kind.ts';
import type { Clock } from '../../core/time/clock.ts';
import { contentVersion } from '../../core/content-version.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Store } from '../../platform/store/store.ts';
import { recordCatalogChange } from './catalog-version.ts';
import {
  catalogLock,
  insertRows,
  type ResourceRow,
  readRows,
  sectionOf,
  sectionsOf,
  type ShownRow,
} from './resource-rows.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import {
  hasLiteralSecrets,
  haveSameDestination,
  keptSecrets,
  mixedSecrets,
  withHiddenSecrets,
  withSealedSecrets,
} from './stored-secrets.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { broken, type FieldProblem, reason, type Reason } from 'chat-formats/reasons/reason.ts';

export interface ResourceParts {
  readonly clock: Clock;
  readonly kinds: readonly UpstreamKind[];
  /** Called only if there is a secret to seal: listing and removing work without it. */
  readonly vault: () => Promise<SecretVault>;
}

/**
 * Reads and changes upstreams, models, packages and sites for commands. Secrets are write-only: returned rows only show
 * that a secret is set. Rejections throw a `GatewayError`.
 */
export class Resources {
  readonly #store: Store;
  readonly #parts: ResourceParts;

  constructor(store: Store, parts: ResourceParts) {
    this.#store = store;
    this.#parts = parts;
  }

  async list(kind: ResourceKind): Promise<readonly ShownRow[]> {
    return (await readRows(this.#store.db)).filter((row) => row.kind === kind).map(shown);
  }

  async show(kind: ResourceKind, name: string): Promise<ShownRow> {
    return shown(requireRow(await readRows(this.#store.db), kind, name));
  }

  /**
   * Adds an entry in the format of the file. It must be consistent with all existing entries. Literal secrets are
   * sealed.
   */
  async add(kind: ResourceKind, spec: Resource['spec']): Promise<ShownRow> {
    const { clock, kinds } = this.#parts;
    const kept = await this.#sealed(kind, spec);
    return this.#store.transaction(async (tx) => {
      const rows = await readRows(tx);
      refuseInvalid(kind, spec, { rows, kinds });
      const name = String(spec[resourceKinds[kind].key]);
      const position = Math.max(0, ...rows.map((row) => row.position)) + 1;
      const row: ResourceRow = { kind, name, spec: kept, source: 'store', position, updatedAt: clock.now() };
      await insertRows(tx, [row]);
      await this.#changed(tx, name);
      return shown(row);
    }, catalogLock);
  }

  /** Adds all models or none. Each must be consistent with all existing entries and with the models before it. */
  addModels(specs: readonly Resource['spec'][]): Promise<readonly ShownRow[]> {
    const { clock, kinds } = this.#parts;
    return this.#store.transaction(async (tx) => {
      const rows = await readRows(tx);
      const added = newModelRows(specs, rows, kinds, clock.now());
      await insertRows(tx, added);
      await this.#changed(tx, `${added.length} models`);
      return added.map(shown);
    }, catalogLock);
  }

  /**
   * Replaces the prices of added models, all or none. A model with another version than the given one was changed in
   * the meantime: nothing is written then.
   */
  changePrices(changes: readonly NewPrice[]): Promise<readonly { before: ShownRow; after: ShownRow }[]> {
    return this.#store.transaction(async (tx) => {
      const rows = await readRows(tx);
      const next = repricedRows(changes, rows, this.#parts);
      const changed = [];
      for (const { row, spec } of next) {
        changed.push({ before: shown(row), after: shown(await this.#written(tx, row, spec)) });
      }
      await this.#changed(tx, `${changed.length} models`);
      return changed;
    }, catalogLock);
  }

  /** Removes an entry that was added by command. Rejects entries that the file owns or another entry needs. */
  remove(kind: ResourceKind, name: string): Promise<ShownRow> {
    return this.#store.transaction(async (tx) => {
      const rows = await readRows(tx);
      const row = requireRow(rows, kind, name);
      refuseFileOwned(row);
      await refuseNeeded(tx, row, rows);
      await tx.deleteFrom('resources').where('kind', '=', kind).where('name', '=', row.name).execute();
      await this.#changed(tx, row.name);
      return shown(row);
    }, catalogLock);
  }

  /**
   * Replaces an entry that was added by command with another of the same name. If the new entry has no secrets, the old
   * ones stay.
   */
  async replace(kind: ResourceKind, name: string, spec: Resource['spec']): Promise<ShownRow> {
    const given = await this.#sealed(kind, spec);
    return this.#store.transaction(async (tx) => {
      const rows = await readRows(tx);
      const row = requireRow(rows, kind, name);
      refuseFileOwned(row);
      refuseRenaming(row, spec);
      const secrets = kind === 'upstream' ? keptSecrets(row.spec, spec) : {};
      refuseMoving(row, spec, secrets);
      const others = rows.filter((each) => each !== row);
      refuseInvalid(kind, spec, { rows: others, kinds: this.#parts.kinds }, withHiddenSecrets(secrets));
      return this.#rewritten(tx, row, { ...given, ...secrets });
    }, catalogLock);
  }

  /** Enables or disables an added upstream. A disabled one gets no requests. */
  setEnabled(name: string, isEnabled: boolean): Promise<ShownRow> {
    return this.#store.transaction(async (tx) => {
      const row = requireRow(await readRows(tx), 'upstream', name);
      refuseFileOwned(row);
      const { enabled: _, ...rest } = row.spec;
      return this.#rewritten(tx, row, isEnabled ? rest : { ...rest, enabled: false });
    }, catalogLock);
  }

  /**
   * Replaces the credentials of an added upstream. New requests use the new ones, running answers finish with the old
   * ones.
   */
  async rotateKey(name: string, apiKeys: readonly string[]): Promise<ShownRow> {
    const credentials = { name, ...credentialFields(apiKeys) };
    refuseInvalidKeys(credentials);
    const { name: _, ...kept } = await this.#sealed('upstream', credentials);
    return this.#store.transaction(async (tx) => {
      const row = requireRow(await readRows(tx), 'upstream', name);
      refuseFileOwned(row);
      const { api_key: _key, api_keys: _keys, ...rest } = row.spec;
      return this.#rewritten(tx, row, { ...rest, ...kept });
    }, catalogLock);
  }

  async #changed(tx: Kysely<Database>, subject: string): Promise<void> {
    await recordCatalogChange(tx, await readRows(tx), this.#parts.clock);
    await publishChange(tx, { topic: 'catalog', subject });
  }

  /** Call it outside of any transaction: opening the vault may need its own. */
  async #sealed(kind: ResourceKind, spec: Resource['spec']): Promise<Resource['spec']> {
    return kind === 'upstream' && hasLiteralSecrets(spec) ? withSealedSecrets(spec, await this.#parts.vault()) : spec;
  }

  async #rewritten(tx: Kysely<Database>, row: ResourceRow, spec: Resource['spec']): Promise<ShownRow> {
    const next = await this.#written(tx, row, spec);
    await this.#changed(tx, row.name);
    return shown(next);
  }

  async #written(tx: Kysely<Database>, row: ResourceRow, spec: Resource['spec']): Promise<ResourceRow> {
    const next = { ...row, spec, updatedAt: this.#parts.clock.now() };
    await tx
      .updateTable('resources')
      .set({ spec: JSON.stringify(spec), updated_at: next.updatedAt })
      .where('kind', '=', row.kind)
      .where('name', '=', row.name)
      .execute();
    return next;
  }
}

/** Returns one or several credentials in the format of the file. */
export function credentialFields(apiKeys: readonly string[]): Resource['spec'] {
  if (apiKeys.length === 0) return {};
  return apiKeys.length === 1 ? { api_key: apiKeys[0] } : { api_keys: apiKeys };
}

function shown(row: ResourceRow): ShownRow {
  const { kind, name, source, spec } = row;
  const version = contentVersion([kind, name, source, spec]);
  return { ...row, version, ...(kind === 'upstream' && { spec: withHiddenSecrets(spec) }) };
}

/** Other entries refer to the name, so it cannot change. To use another name, add another entry. */
function refuseRenaming({ kind, name }: ResourceRow, spec: Resource['spec']): void {
  const key = resourceKinds[kind].key;
  if (spec[key] === name) return;
  throw refused(reason('resource_name_fixed', { kind, name, field: key }));
}

function refuseMoving(row: ResourceRow, spec: Resource['spec'], secrets: Resource['spec']): void {
  if (Object.keys(secrets).length === 0 || haveSameDestination(row.spec, spec)) return;
  throw refused(reason('credentials_needed', { name: row.name }));
}

function refuseInvalidKeys(credentials: Resource['spec']): void {
  const checked = check(keysSchema, credentials);
  const problems = [...(checked.ok ? [] : checked.problems), ...mixedSecrets(credentials)];
  if (problems.length > 0)
    throw refused(reason('credential_invalid', { name: String(credentials.name) }), fieldProblems(problems));
}

const keysSchema = upstreamSchema.pick({ name: true, api_key: true, api_keys: true });

function requireRow(rows: readonly ResourceRow[], kind: ResourceKind, name: string): ResourceRow {
  const ofKind = rows.filter((row) => row.kind === kind);
  const row = ofKind.find((each) => each.name === name) ?? ofKind.find(({ spec }) => isAlias(spec, name));
  if (row) return row;
  const similar = suggestion(
    name,
    ofKind.map((each) => each.name),
  );
  const hint = similar || `\`chat-gateway ${kind}s list\` lists the existing ones.`;
  throw refused(reason('resource_missing', { kind, name, hint }));
}

function isAlias(spec: Resource['spec'], name: string): boolean {
  return Array.isArray(spec.aliases) && spec.aliases.includes(name);
}

/** The existing entries and known kinds that an entry is checked against. */
interface CheckContext {
  readonly rows: readonly ResourceRow[];
  readonly kinds: readonly UpstreamKind[];
}

function problemsFor(
  kind: ResourceKind,
  spec: Resource['spec'],
  { rows, kinds }: CheckContext,
  kept: Resource['spec'] = {},
): readonly ConfigProblem[] {
  const checked = check(resourceKinds[kind].schema, spec);
  const section = sectionOf(kind);
  const sections = sectionsOf([...rows, { kind, name: '', spec: { ...kept, ...spec } }]);
  const last = (sections[section]?.length ?? 0) - 1;
  const together = [
    ...takenNames(sections),
    ...danglingReferences(sections),
    ...fallbackCircles(sections),
    ...unfitUpstreams(sections, kinds),
    ...incompleteUpstreams(sections, kinds),
  ]
    .filter(({ path }) => path[0] === section && path[1] === last)
    .map((problem): ConfigProblem => ({ ...problem, path: problem.path.slice(2) }));
  const secrets = kind === 'upstream' ? [...mixedSecrets(spec), ...fileOnlyProblems(spec)] : [];
  return [...(checked.ok ? [] : checked.problems), ...together, ...secrets];
}

function refuseInvalid(
  kind: ResourceKind,
  spec: Resource['spec'],
  others: CheckContext,
  kept: Resource['spec'] = {},
): void {
  const problems = problemsFor(kind, spec, others, kept);
  if (problems.length === 0) return;
  const name = spec[resourceKinds[kind].key];
  const why = reason('resource_invalid', { kind, name: typeof name === 'string' ? name : '' });
  throw refused(why, fieldProblems(problems));
}

/** Returns the rows of new models. Throws one error that lists the problems of all of them. */
function newModelRows(
  specs: readonly Resource['spec'][],
  rows: readonly ResourceRow[],
  kinds: readonly UpstreamKind[],
  updatedAt: number,
): readonly ResourceRow[] {
  const first = Math.max(0, ...rows.map((row) => row.position)) + 1;
  const added: ResourceRow[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, spec] of specs.entries()) {
    const name = String(spec.id);
    const found = problemsFor('model', spec, { rows: [...rows, ...added], kinds });
    if (found.length === 0)
      added.push({ kind: 'model', name, spec, source: 'store', position: first + index, updatedAt });
    else
      problems.push(
        ...fieldProblems(
          found.map((each) => within(each, index)),
          name,
        ),
      );
  }
  if (problems.length > 0) throw refused(reason('models_not_added'), problems);
  return added;
}

function within(problem: ConfigProblem, index: number, list = 'models'): ConfigProblem {
  return { ...problem, path: [list, index, ...problem.path] };
}

/** A new `price` of a model. */
export interface NewPrice {
  readonly model: string;
  /** The version that the model must have. */
  readonly version?: string | undefined;
  readonly price: unknown;
}

/** Returns the rows and their new contents. Throws one error that lists the problems of all of them. */
function repricedRows(
  changes: readonly NewPrice[],
  rows: readonly ResourceRow[],
  { kinds }: Pick<ResourceParts, 'kinds'>,
): readonly { readonly row: ResourceRow; readonly spec: Resource['spec'] }[] {
  const problems: FieldProblem[] = [];
  const next = changes.map(({ model, version, price }, index) => {
    const row = requireRow(rows, 'model', model);
    // Otherwise a batch could name a model twice.
    if (row.name !== model)
      throw refused(
        reason('resource_missing', { kind: 'model', name: model, hint: `\`${row.name}\` has this alias.` }),
      );
    refuseFileOwned(row);
    if (version !== undefined && version !== shown(row).version)
      throw new GatewayError('conflict', { reason: reason('changed_meanwhile', { kind: 'model', id: model }) });
    const spec = { ...row.spec, price };
    const found = problemsFor('model', spec, { rows: rows.filter((each) => each !== row), kinds });
    const located = found.map((each) => within(each, index, 'prices'));
    problems.push(...fieldProblems(located, model));
    return { row, spec };
  });
  if (problems.length > 0) throw refused(reason('prices_not_changed'), problems);
  return next;
}

function refused(why: Reason, problems: readonly FieldProblem[] = []): GatewayError {
  return new GatewayError('invalid-request', { reason: why, problems });
}

/**
 * These fields are allowed in the file only. A proxy could bypass the egress guard for private networks, and a file
 * path would refer to another machine.
 */
function fileOnlyProblems(spec: Resource['spec']): readonly ConfigProblem[] {
  return fileOnlyFields
    .filter((field) => spec[field] !== undefined)
    .map((field) => ({
      path: [field],
      ...broken('file_only'),
      fix: 'Remove it, or configure the upstream in the configuration file.',
    }));
}

function refuseFileOwned({ kind, name, source }: ResourceRow): void {
  if (source === 'store') return;
  throw refused(reason('resource_owned_by_file', { kind, name, section: sectionOf(kind) }));
}

async function refuseNeeded(
  tx: Kysely<Database>,
  { kind, name }: ResourceRow,
  rows: readonly ResourceRow[],
): Promise<void> {
  const models = modelsWithout(rows, (row) => row.kind === kind && row.name === name);
  if ((kind === 'upstream' || kind === 'model') && models.length > 0) {
    const users = models.map((model) => `\`${model}\``).join(', ');
    throw refused(reason(`${kind}_in_use`, { name, users }));
  }
  if (kind !== 'package') return;
  const accounts = await tx.selectFrom('accounts').select('name').where('package', '=', name).limit(10).execute();
  if (accounts.length > 0) {
    const users = accounts.map((account) => `\`${account.name}\``).join(', ');
    throw refused(reason('package_in_use', { name, users }));
  }
}

/**
 * Returns the models that would refer to a removed entry. Models with a dangling reference before the removal do not
 * count.
 */
function modelsWithout(rows: readonly ResourceRow[], isGone: (row: ResourceRow) => boolean): readonly string[] {
  const danglingIn = (some: readonly ResourceRow[]) => {
    const sections = sectionsOf(some);
    const modelAt = (index: unknown): string => String(sections.models?.[Number(index)]?.id);
    return danglingReferences(sections).map(({ path, message }) => ({ model: modelAt(path[1]), message }));
  };
  const before = new Set(danglingIn(rows).map(({ model, message }) => `${model} ${message}`));
  const after = danglingIn(rows.filter((row) => !isGone(row)));
  return [
    ...new Set(after.filter(({ model, message }) => !before.has(`${model} ${message}`)).map(({ model }) => model)),
  ];
}
