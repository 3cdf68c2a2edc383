import type { AccountTables } from './tables/accounts.ts';
import type { AdminTables } from './tables/admin.ts';
import type { BatchTables } from './tables/batches.ts';
import type { BlobTables } from './tables/blobs.ts';
import type { CatalogTables } from './tables/catalog.ts';
import type { ClusterTables } from './tables/cluster.ts';
import type { ConsoleTables } from './tables/console.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { OutboxTables } from './tables/outbox.ts';
import type { RequestTables } from './tables/requests.ts';
import type { SellingTables } from './tables/selling.ts';
import type { UsageTables } from './tables/usage.ts';

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
