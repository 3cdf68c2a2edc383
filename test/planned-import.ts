import type { Importer, ImportInput } from 'chat-gateway-import/importer.ts';
import type { ImportPlan } from 'chat-gateway-import/plan.ts';
import { openTables } from 'chat-gateway-import/readers/open-tables.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { thisGateway } from '../src/manage/import/this-gateway.ts';

interface Source extends Partial<Pick<ImportInput, 'documents' | 'now'>> {
  /** A file or an address. */
  readonly database?: string | undefined;
  readonly key?: string | undefined;
}

/** The plan of a source for this gateway. */
export async function plannedImport(
  importer: Importer,
  { database, key, documents = [], now = 0 }: Source,
): Promise<ImportPlan> {
  const tables = database === undefined ? undefined : await openTables(database);
  const saltKey = key === undefined ? undefined : new Secret(key);
  try {
    return await importer({ tables, documents, saltKey, now, target: thisGateway });
  } finally {
    await tables?.close();
  }
}
