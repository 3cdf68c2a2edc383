import type { Command } from 'commander';
import colors from 'picocolors';
import { stringify } from 'yaml';
import { openPepper } from '../accounts/pepper.ts';
import { catalogLock, type ShownRow } from '../catalog/resource-rows.ts';
import { type Resources, resources } from '../catalog/resources.ts';
import { secretVault } from '../catalog/secret-vault.ts';
import type { Resource, ResourceKind } from '../config/resource.ts';
import { systemClock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import { knownKinds } from '../upstreams/presets.ts';
import { audited } from './audited.ts';
import { withStore } from './context.ts';
import { documentOf } from './document.ts';
import { followNote } from './notes.ts';
import { answer, type Cell, CliError, details, table } from './output.ts';
import type { NamedGateway } from './place.ts';
import { momentText } from './time-text.ts';

interface ResourceNoun {
  readonly kind: ResourceKind;
  readonly description: string;
  /** Command that adds a first entry. */
  readonly example: string;
  readonly columns: readonly string[];
  readonly cells: (spec: Resource['spec']) => readonly Cell[];
  /** Columns with figures that the gateway has measured. */
  readonly measured?: readonly MeasuredColumn[];
}

interface MeasuredColumn {
  readonly column: string;
  /** Name of the JSON field. */
  readonly field: string;
  readonly read: (store: Store) => Promise<(name: string) => { readonly text: string; readonly json: unknown }>;
}

/** Adds a command group with `list`, `show` and `remove`. The caller adds `add`. */
export function resourceCommands(program: Command, noun: ResourceNoun): Command {
  const { kind } = noun;
  const command = program.command(`${kind}s`).description(noun.description);
  command
    .command('list')
    .description(`List ${kind}s, from the configuration file and added by command.`)
    .action((_options, each: Command) => list(noun, each));
  command
    .command('show')
    .argument('<name>')
    .description(`Show one ${kind} in the format of the configuration file.`)
    .action((name: string, _options, each: Command) => show(noun, name, each));
  command
    .command('remove')
    .argument('<name>')
    .option(...ifVersion)
    .description(`Remove one ${kind} that was added by command.`)
    .action((name: string, options: IfVersion, each: Command) => remove(noun, { name, ...options }, each));
  return command;
}

/** Adds an entry in the format of the configuration file and prints it. `note` names remaining steps. */
export async function addResource(
  command: Command,
  entry: { kind: ResourceKind; spec: Resource['spec']; note?: string },
): Promise<void> {
  const spec = withoutUndefined(entry.spec);
  await changeResource(command, `add ${entry.kind}`, (stored) => stored.add(entry.kind, spec), entry.note);
}

/** Option for optimistic locking: the command fails if the entry has another version. */
export const ifVersion = [
  '--if-version <version>',
  'version that `show` printed; fails if the entry has changed since',
] as const;

export interface IfVersion {
  readonly ifVersion?: string;
}

/** Throws if the entry has another version. Holds the catalog lock until the change is written. */
export async function requireVersion(
  stored: Resources,
  inside: Store,
  { kind, name, seen }: { readonly kind: ResourceKind; readonly name: string; readonly seen: string | undefined },
): Promise<void> {
  if (seen === undefined) return;
  await inside.transaction(() => Promise.resolve(), catalogLock);
  const row = await stored.show(kind, name);
  if (row.version === seen) return;
  const changedAt = new Date(row.updatedAt).toISOString();
  throw new CliError('resource_changed', { kind, name: row.name, changed_at: changedAt, version: row.version });
}

/** Changes one entry and prints the result. */
export async function changeResource(
  command: Command,
  action: string,
  change: (stored: Resources, inside: Store) => Promise<ShownRow>,
  note?: string,
): Promise<void> {
  await withStore(command, async (store, target) => {
    const row = await audited(store, action, async (inside) => {
      const changed = await change(resourcesIn(inside, target), inside);
      return { result: changed, change: { kind: changed.kind, id: changed.name, after: rowDocument(changed) } };
    });
    const parts = [rowText(row), note, followNote];
    answer(command, { json: rowDocument(row), text: () => parts.filter((part) => part !== undefined).join('\n\n') });
  });
}

/** Collects the values of an option that is repeated or has commas. */
export function listed(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(',').map((part) => part.trim())];
}

/** Returns text that is not a number unchanged: the schema has a better error message. */
export function numeric(value: string): number | string {
  return /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/** Text of a field for a table: a list is joined with commas, a missing value is empty. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

async function list({ kind, example, columns, cells, measured = [] }: ResourceNoun, command: Command): Promise<void> {
  await withStore(command, async (store, target) => {
    const figures = await readFigures(measured, store);
    const rows = await resourcesIn(store, target).list(kind);
    const none = `No ${kind}s in ${target.storeName}. Entries of a configuration file appear after the gateway has started with it.\nAdd one: ${example}`;
    const lines = rows.map((row): Cell[] => [
      ...cells(row.spec),
      ...figures(row.name).map(({ text }) => text),
      sourceText(row),
    ]);
    answer(command, {
      json: rows.map((row) => ({
        ...rowDocument(row),
        ...fieldsOf(figures(row.name)),
      })),
      text: () =>
        rows.length === 0 ? none : table([...columns, ...measured.map(({ column }) => column), 'source'], lines),
    });
  });
}

async function show({ kind, measured = [] }: ResourceNoun, name: string, command: Command): Promise<void> {
  await withStore(command, async (store, target) => {
    const row = await resourcesIn(store, target).show(kind, name);
    const figures = (await readFigures(measured, store))(row.name);
    answer(command, {
      json: { ...rowDocument(row), ...fieldsOf(figures) },
      text: () =>
        rowText(
          row,
          figures.map(({ column, text }) => [column, text]),
        ),
    });
  });
}

interface ColumnFigure {
  readonly column: string;
  readonly field: string;
  readonly text: string;
  readonly json: unknown;
}

async function readFigures(
  measured: readonly MeasuredColumn[],
  store: Store,
): Promise<(name: string) => readonly ColumnFigure[]> {
  const readings = await Promise.all(
    measured.map(async ({ column, field, read }) => ({ column, field, of: await read(store) })),
  );
  return (name) => readings.map(({ column, field, of }) => ({ column, field, ...of(name) }));
}

function fieldsOf(figures: readonly ColumnFigure[]): Record<string, unknown> {
  return Object.fromEntries(figures.map(({ field, json }) => [field, json]));
}

async function remove(
  { kind }: ResourceNoun,
  { name, ifVersion: seen }: IfVersion & { readonly name: string },
  command: Command,
): Promise<void> {
  await withStore(command, async (store, target) => {
    const row = await audited(store, `remove ${kind}`, async (inside) => {
      await requireVersion(resourcesIn(inside, target), inside, { kind, name, seen });
      const removed = await resourcesIn(inside, target).remove(kind, name);
      return { result: removed, change: { kind, id: removed.name, before: rowDocument(removed) } };
    });
    answer(command, {
      json: rowDocument(row),
      text: () => `Removed the ${kind} ${row.name}. ${followNote}`,
    });
  });
}

export function resourcesIn(store: Store, target: NamedGateway): Resources {
  const vault = async () => secretVault(await openPepper(store, target.secrets()));
  return resources(store, { clock: systemClock, kinds: knownKinds, vault });
}

function rowText(row: ShownRow, more: readonly [string, string][] = []): string {
  const facts = details([
    [row.kind, { text: row.name, paint: colors.bold }],
    ['source', row.source === 'file' ? 'configuration file (secrets omitted)' : 'command'],
    ['changed', momentText(row.updatedAt, systemClock.now())],
    ['version', row.version],
    ...more,
  ]);
  return `${facts}\n\n${stringify(row.spec).trimEnd()}`;
}

export function rowDocument({ kind, name, source, updatedAt, version, spec }: ShownRow): Record<string, unknown> {
  return documentOf({ kind, name, source, updatedAt, version, spec });
}

function sourceText({ source }: ShownRow): string {
  return source === 'file' ? 'file' : 'command';
}

function withoutUndefined(spec: Resource['spec']): Resource['spec'] {
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}
