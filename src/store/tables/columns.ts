import type { ColumnType } from 'kysely';

/** Money is read as text, because a number cannot hold it exactly, and written as a bigint. */
export type Money = ColumnType<string, bigint, bigint>;

/** Money that is null in rows of older versions. */
export type OldMoney = ColumnType<string | null, bigint | null | undefined, bigint | null>;

/** Owner of a row: the configuration file overwrites only its own rows. */
export type Source = 'file' | 'store';
