import { publishChange } from '../../platform/cluster/change-feed.ts';
import type { Resource } from '../../platform/config/schema/resource.ts';
import { takenNames } from '../../platform/config/file/taken-names.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { recordCatalogChange } from './catalog-version.ts';
import { catalogLock, insertRows, type ResourceRow, readRows, sectionOf, sectionsOf } from './resource-rows.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/**
 * Writes the entries of the file to the store, in one transaction. Entries that were added by command are not touched.
 * If the file and a stored entry use the same name, the file is rejected, because either choice would surprise an
 * operator.
 */
export async function applyFile(store: Store, resources: readonly Resource[], clock: Clock): Promise<void> {
  await store.transaction(async (tx) => {
    const rows = await readRows(tx);
    const kept = rows.filter(({ source }) => source === 'store');
    refuseConflicts(resources, kept);
    const before = rows.filter(({ source }) => source === 'file');
    const after = fileRows(resources, before, clock);
    if (sameContent(before, after)) return;
    await tx.deleteFrom('resources').where('source', '=', 'file').execute();
    await insertRows(tx, after);
    await recordCatalogChange(tx, [...after, ...kept], clock);
    await publishChange(tx, { topic: 'catalog', subject: '*' });
  }, catalogLock);
}

function refuseConflicts(resources: readonly Resource[], kept: readonly ResourceRow[]): void {
  const problems = takenNames(sectionsOf([...resources, ...kept]));
  if (problems.length === 0) return;
  const owners = problems.map(({ path: [section, index], message }) => {
    const fromFile = resources.filter(({ kind }) => sectionOf(kind) === section).length;
    const row = kept.filter(({ kind }) => sectionOf(kind) === section)[Number(index) - fromFile];
    return { message: `the stored ${row?.kind} \`${row?.name}\` uses a name of the file: ${message}`, row };
  });
  const commands = new Set(owners.map(({ row }) => `\`chat-gateway ${row?.kind}s remove ${row?.name}\``));
  const conflicts = owners.map(({ message }) => message).join('; ');
  const why = reason('file_conflicts_with_store', { conflicts, commands: [...commands].join(', ') });
  throw new GatewayError('invalid-request', { reason: why });
}

/** Returns the new rows of the file. An unchanged entry keeps its `updatedAt`. */
function fileRows(
  resources: readonly Resource[],
  before: readonly ResourceRow[],
  clock: Clock,
): readonly ResourceRow[] {
  const times = new Map(before.map((row) => [contentOf(row), row.updatedAt]));
  return resources.map((resource, position) => {
    const updatedAt = times.get(contentOf(resource)) ?? clock.now();
    return { ...resource, source: 'file', position, updatedAt };
  });
}

function sameContent(before: readonly Resource[], after: readonly Resource[]): boolean {
  return before.map(contentOf).join('\n') === after.map(contentOf).join('\n');
}

function contentOf({ kind, name, spec }: Resource): string {
  return JSON.stringify([kind, name, spec]);
}
