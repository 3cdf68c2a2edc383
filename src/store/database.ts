import type { AccountTables } from './tables/accounts.ts';
import type { AdminTables } from './tables/admin.ts';
import type { BodyTables } from './tables/bodies.ts';
import type { CatalogTables } from './tables/catalog.ts';
import type { ClusterTables } from './tables/cluster.ts';
import type { ConsoleTables } from './tables/console.ts';
import type { LedgerTables } from './tables/ledger.ts';
import type { NoticeTables } from './tables/notices.ts';
import type { RequestTables } from './tables/requests.ts';
import type { ResponseTables } from './tables/responses.ts';
import type { SellingTables } from './tables/selling.ts';
import type { UsageTables } from './tables/usage.ts';

/**
 * The tables, in the columns both engines know: TEXT, BIGINT and INTEGER, times in milliseconds since 1970. Each part's
 * stand together in a file of `tables`.
 */
export interface Database
  extends AccountTables,
    AdminTables,
    BodyTables,
    CatalogTables,
    ClusterTables,
    ConsoleTables,
    LedgerTables,
    NoticeTables,
    RequestTables,
    ResponseTables,
    SellingTables,
    UsageTables {}
