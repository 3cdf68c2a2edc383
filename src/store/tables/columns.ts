import type { ColumnType } from 'kysely';

/** Money is read as text, since a number cannot hold it exactly, and written as a bigint. */
export type Money = ColumnType<string, bigint, bigint>;

/** Money that rows of an older version do not have. */
export type OldMoney = ColumnType<string | null, bigint | null | undefined, bigint | null>;

/** Who a row belongs to: the configuration file rewrites its own rows and leaves the others alone. */
export type Source = 'file' | 'store';
