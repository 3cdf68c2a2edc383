import type { Kysely } from 'kysely';
import { type Resource, type ResourceKind, resourceKinds } from '../../platform/config/schema/resource.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Source } from '../../platform/store/tables/columns.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** A stored upstream, model, package or site, and whether the file or the store owns it. */
export interface ResourceRow extends Resource {
  readonly source: Source;
  readonly position: number;
  readonly updatedAt: number;
}

/** A row as API and CLI show it, with a version of its whole content, including its secrets. */
export interface ShownRow extends ResourceRow {
  readonly version: string;
}

/** The advisory lock for transactions that change the catalog or must read it consistently. */
export const catalogLock = { lock: 'catalog' } as const;

/** SQLite and PostgreSQL limit the number of values in one statement. */
const rowsPerInsert = 500;

/** Returns all rows: first those of the file in its order, then those of the store. */
export async function readRows(db: Kysely<Database>): Promise<readonly ResourceRow[]> {
  const rows = await db
    .selectFrom('resources')
    .selectAll()
    .orderBy('source')
    .orderBy('position')
    .orderBy('name')
    .execute();
  return rows.map(({ kind, name, source, spec, position, updated_at: updatedAt }) => ({
    kind,
    name,
    source,
    spec: ownJson(spec) as Resource['spec'],
    position,
    updatedAt,
  }));
}

export async function insertRows(db: Kysely<Database>, rows: readonly ResourceRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    const values = rows.slice(start, start + rowsPerInsert).map(({ spec, updatedAt, ...row }) => ({
      ...row,
      spec: JSON.stringify(spec),
      updated_at: updatedAt,
    }));
    await db.insertInto('resources').values(values).execute();
  }
}

/** Groups rows into the sections of a configuration file, so that the same checks work for both. */
export function sectionsOf(resources: readonly Resource[]): Record<string, Resource['spec'][]> {
  const sections: Record<string, Resource['spec'][]> = {};
  for (const { kind, spec } of resources) (sections[sectionOf(kind)] ??= []).push(spec);
  return sections;
}

export function sectionOf(kind: ResourceKind): string {
  return resourceKinds[kind].section;
}
