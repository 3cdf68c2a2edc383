import type { ColumnType } from 'kysely';

/** Money is read as text, because a number cannot hold it exactly, and written as a bigint. */
export type Money = ColumnType<string, bigint, bigint>;

/** Money that some rows do not have. */
export type OptionalMoney = ColumnType<string | null, bigint | null | undefined, bigint | null>;

/** Owner of a row: the configuration file overwrites only its own rows. */
export type Source = 'file' | 'store';

/**
 * The text from which the digest of an imported key is made: the secret itself, the hex SHA-256 of the secret until its first use, or
 * the part of the secret that new-api and one-api store.
 */
export type KeyScheme = 'plain' | 'sha256' | 'new-api';

/** Of a secret that is not stored: its hex HMAC, the id of the HMAC's own secret, and a part for display. */
export interface SecretDigest {
  digest: string;
  digest_secret: string;
  display: string;
}

/**
 * What bounds the rows of a table: a limit of that name in that file of `src`, or the reason why clients cannot add rows
 * without an end. A test compares the tables with the schema.
 */
export type TableBound = { readonly quota: string; readonly enforcedBy: string } | { readonly reason: string };
export type TableBounds<Tables> = Readonly<Record<keyof Tables, TableBound>>;

/** Rows that only changes of accounts, organisations and users add. */
export const byChanges: TableBound = { quota: 'changesMax', enforcedBy: 'money/accounts/change-quota.ts' };
