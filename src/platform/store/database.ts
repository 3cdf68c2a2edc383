import { accountBounds, type AccountTables } from './tables/accounts.ts';
import { adminBounds, type AdminTables } from './tables/admin.ts';
import { batchBounds, type BatchTables } from './tables/batches.ts';
import { blobBounds, type BlobTables } from './tables/blobs.ts';
import { catalogBounds, type CatalogTables } from './tables/catalog.ts';
import { clusterBounds, type ClusterTables } from './tables/cluster.ts';
import type { TableBounds } from './tables/columns.ts';
import { consoleBounds, type ConsoleTables } from './tables/console.ts';
import { ledgerBounds, type LedgerTables } from './tables/ledger.ts';
import { outboxBounds, type OutboxTables } from './tables/outbox.ts';
import { requestBounds, type RequestTables } from './tables/requests.ts';
import { sellingBounds, type SellingTables } from './tables/selling.ts';
import { usageBounds, type UsageTables } from './tables/usage.ts';

/**
 * All tables. They use only the column types that both engines have: TEXT, BIGINT and INTEGER. Times are milliseconds
 * since 1970. Each group of tables has a file in `tables`.
 */
export interface Database
  extends AccountTables,
    AdminTables,
    BatchTables,
    BlobTables,
    CatalogTables,
    ClusterTables,
    ConsoleTables,
    LedgerTables,
    OutboxTables,
    RequestTables,
    SellingTables,
    UsageTables {}

/** What bounds each table. */
export const tableBounds: TableBounds<Database> = {
  ...accountBounds,
  ...adminBounds,
  ...batchBounds,
  ...blobBounds,
  ...catalogBounds,
  ...clusterBounds,
  ...consoleBounds,
  ...ledgerBounds,
  ...outboxBounds,
  ...requestBounds,
  ...sellingBounds,
  ...usageBounds,
};
