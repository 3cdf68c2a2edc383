import { statfs } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';

/** Free space of the disk, and of the pages that deletions left inside the file of the embedded store. */
export async function freeSpace(db: Kysely<Database>, folder: string) {
  const { blocks, bavail, bsize } = await statfs(folder);
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(db);
  return {
    diskBytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize,
    pageBytes: rows[0]?.bytes ?? 0,
  };
}
