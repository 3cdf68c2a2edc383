import type { ColumnType } from 'kysely';

/** Money is read as text, because a number cannot hold it exactly, and written as a bigint. */
export type Money = ColumnType<string, bigint, bigint>;

/** Money that some rows do not have. */
export type OptionalMoney = ColumnType<string | null, bigint | null | undefined, bigint | null>;

/** Owner of a row: the configuration file overwrites only its own rows. */
export type Source = 'file' | 'store';

/** Of a secret that is not stored: its hex HMAC, the id of the HMAC's own secret, and a part for display. */
export interface SecretDigest {
  digest: string;
  digest_secret: string;
  display: string;
}
