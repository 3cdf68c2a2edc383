import { type Kysely, sql } from 'kysely';
import { engineOf } from '../engine.ts';
import { accountTables } from './baseline/accounts.ts';
import { adminTables } from './baseline/admin.ts';
import { batchTables } from './baseline/batches.ts';
import { catalogTables } from './baseline/catalog.ts';
import { clusterTables } from './baseline/cluster.ts';
import { consoleTables } from './baseline/console.ts';
import { contentTables } from './baseline/contents.ts';
import { ledgerTables } from './baseline/ledger.ts';
import { outboxTables } from './baseline/outbox.ts';
import { requestTables } from './baseline/requests.ts';
import { sellingTables } from './baseline/selling.ts';
import { usageTables } from './baseline/usage.ts';

export const baseline = {
  async up(db: Kysely<unknown>): Promise<void> {
    const engine = engineOf(db);
    for (const statement of statements) {
      const text = typeof statement === 'string' ? statement : statement[engine];
      if (text !== undefined) await sql.raw(text).execute(db);
    }
  },
};

/** Referenced tables come first. */
const statements = [
  ...accountTables,
  ...consoleTables,
  ...adminTables,
  ...catalogTables,
  ...ledgerTables,
  ...requestTables,
  ...usageTables,
  ...clusterTables,
  ...contentTables,
  ...batchTables,
  ...outboxTables,
  ...sellingTables,
];
