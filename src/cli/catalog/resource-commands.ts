import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { stringify } from 'yaml';
import { resourceEndpoints } from '../../manage/admin/catalog/resources.ts';
import type { ShownRow } from '../../money/catalog/resource-rows.ts';
import { Resources } from '../../money/catalog/resources.ts';
import type { Resource, ResourceKind } from '../../platform/config/schema/resource.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import { withAdmin } from '../admin-call.ts';
import { withStore } from '../context.ts';
import { documentOf } from '../terminal/document.ts';
import { followNote } from '../terminal/notes.ts';
import { answer, type Cell, details, table } from '../terminal/output.ts';
import { momentText } from '../terminal/time-text.ts';

interface ResourceNoun {
  readonly kind: ResourceKind;
  readonly description: string;
  readonly example: string;
  readonly columns: readonly string[];
  readonly cells: (spec: Resource['spec']) => readonly Cell[];
  readonly measured?: readonly MeasuredColumn[];
}

interface MeasuredColumn {
  readonly column: string;
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
export async function addResource(command: Command, { kind, spec, note, withSecret }: NewResource): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const { name } = await call<{ name: string }>(resourceEndpoints, `add${nounOf(kind)}`, { body: spec, withSecret });
    await answerChanged(command, await readResources(store).show(kind, name), note);
  });
}

interface NewResource {
  readonly kind: ResourceKind;
  readonly spec: Resource['spec'];
  readonly note?: string;
  readonly withSecret?: boolean;
}

/** Option for optimistic locking: the command fails if the entry has another version. */
export const ifVersion = [
  '--if-version <version>',
  'version that `show` printed; fails if the entry has changed since',
] as const;

export interface IfVersion {
  readonly ifVersion?: string;
}

export async function answerChanged(command: Command, row: ShownRow, note?: string): Promise<void> {
  const parts = [rowText(row), note, followNote];
  answer(command, { json: rowDocument(row), text: () => parts.filter((part) => part !== undefined).join('\n\n') });
}

/** Collects the values of an option that is repeated or has commas. */
export function listed(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, ...value.split(',').map((part) => part.trim())];
}

/** Text of a field for a table: a list is joined with commas, a missing value is empty. */
export function cell(value: unknown): string {
  if (Array.isArray(value)) return value.map(cell).join(', ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

async function list({ kind, example, columns, cells, measured = [] }: ResourceNoun, command: Command): Promise<void> {
  await withStore(command, async (store, target) => {
    const figures = await readFigures(measured, store);
    const rows = await readResources(store).list(kind);
    const none = `No ${kind}s in ${target.storeName}. Entries of a configuration file appear after the gateway has started with it.\nAdd one: ${example}`;
    const lines = rows.map((row): Cell[] => [
      ...cells(row.spec),
      ...figures(row.name).map(({ text }) => text),
      sourceText(row),
    ]);
    answer(command, {
      json: rows.map((row) => ({ ...rowDocument(row), ...fieldsOf(figures(row.name)) })),
      text: () =>
        rows.length === 0 ? none : table([...columns, ...measured.map(({ column }) => column), 'source'], lines),
    });
  });
}

async function show({ kind, measured = [] }: ResourceNoun, name: string, command: Command): Promise<void> {
  await withStore(command, async (store) => {
    const row = await readResources(store).show(kind, name);
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
  await withAdmin(command, async (call, store) => {
    const row = await readResources(store).show(kind, name);
    await call(resourceEndpoints, `remove${nounOf(kind)}`, { id: row.name, ifVersion: seen });
    answer(command, { json: rowDocument(row), text: () => `Removed the ${kind} ${row.name}. ${followNote}` });
  });
}

function nounOf(kind: ResourceKind): string {
  return kind.slice(0, 1).toUpperCase() + kind.slice(1);
}

/** The entries of the catalog, for reading. Models are also found by alias. */
export function readResources(store: Store): Pick<Resources, 'list' | 'show'> {
  const vault = () => Promise.reject(new Error('reading needs no vault'));
  return new Resources(store, { clock: systemClock, kinds: knownKinds, vault });
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
