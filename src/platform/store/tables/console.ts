import type { ColumnType, Generated } from 'kysely';
import { byChanges, type TableBounds } from './columns.ts';

/** Dashboard users, in the format of the authentication library, and their permissions. */
export interface ConsoleTables {
  console_users: {
    id: string;
    name: string;
    /** In lower case. */
    email: string;
    email_verified: LibraryTruth;
    two_factor_enabled: LibraryTruth | null;
    /** Preferred language; null: unknown. */
    language: Generated<'en' | 'zh' | null>;
    created_at: LibraryTime;
    updated_at: LibraryTime;
  };
  console_sessions: {
    id: string;
    user_id: string;
    /** Useless alone: the cookie also carries a signature by a key that is not in the store. */
    token: string;
    expires_at: LibraryTime;
    created_at: LibraryTime;
    updated_at: LibraryTime;
    ip_address: string | null;
    user_agent: string | null;
  };
  console_credentials: {
    id: string;
    user_id: string;
    account_id: string;
    provider_id: string;
    /** An argon2id hash. */
    password: string | null;
    created_at: LibraryTime;
    updated_at: LibraryTime;
  };
  console_two_factors: {
    id: string;
    user_id: string;
    /** Encrypted by the library. */
    secret: string;
    /** The time step of the last code that was used; null if none was. */
    last_step: number | null;
  };
  console_passkeys: { id: string; user_id: string; credential_id: string };
  /** Challenges of passkeys, and sign-ins at the single sign-on provider. */
  console_verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: LibraryTime;
    created_at: LibraryTime;
    updated_at: LibraryTime;
  };
  console_operators: { user_id: string; role: 'owner' | 'operator' | 'read-only'; created_at: number };
  console_members: {
    account_id: string;
    user_id: string;
    role: 'owner' | 'member' | 'viewer';
    /** JSON list of limits on the spend of their keys in this account; null: none. */
    limits: Generated<string | null>;
    /** JSON list of model ids or patterns for their keys; null: all. */
    models: Generated<string | null>;
    /** Limit of concurrent requests of their keys together; null: none. */
    max_concurrency: Generated<number | null>;
    created_at: number;
  };
  /** An owner of an organisation has the rights of an owner in each of its accounts, a viewer those of a viewer. */
  organisation_members: {
    organisation_id: string;
    user_id: string;
    role: 'owner' | 'viewer';
    created_at: number;
  };
  /** Single-use sign-in links. */
  console_links: {
    id: string;
    purpose:
      | 'setup'
      | 'account'
      | 'organisation'
      | 'operator'
      | 'reset-password'
      | 'reset-second-factor'
      | 'reset-both';
    /** Hex HMAC of the secret in the link; the secret itself is not stored. */
    digest: string;
    email: string | null;
    role: string;
    account_id: string | null;
    organisation_id: Generated<string | null>;
    created_by: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
  };
  /** A pending sign-up: the e-mail address is not confirmed yet. */
  console_sign_ups: {
    id: string;
    digest: string;
    email: string;
    name: string;
    password_hash: string;
    package: string;
    /** Preferred language, if they chose one. */
    language: 'en' | 'zh' | null;
    created_at: number;
    expires_at: number;
  };
  console_locations: { user_id: string; location: string; seen_at: number };
}

/** In the format of the authentication library: a date in PostgreSQL, ISO text in the embedded store. */
type LibraryTime = ColumnType<Date | string, Date | string, Date | string>;

/** In the format of the authentication library: a boolean in PostgreSQL, 0 or 1 in the embedded store. */
type LibraryTruth = ColumnType<boolean | number, boolean | number, boolean | number>;

export const consoleBounds: TableBounds<ConsoleTables> = {
  console_users: { reason: 'one for each confirmed sign-up, invitation or identity of single sign-on' },
  console_sessions: { quota: 'sessionsMax', enforcedBy: 'money/accounts/users.ts' },
  console_credentials: { reason: 'one row per user and way to sign in' },
  console_two_factors: { reason: 'one row per user' },
  console_passkeys: byChanges,
  console_verifications: { quota: 'beginnings', enforcedBy: 'manage/console/throttle/network-quotas.ts' },
  console_operators: { reason: 'one row per user' },
  console_members: { reason: 'one row per account and user' },
  organisation_members: { reason: 'one row per organisation and user' },
  console_links: byChanges,
  console_sign_ups: { quota: 'byNetwork', enforcedBy: 'manage/console/throttle/network-quotas.ts' },
  console_locations: { quota: 'locationsMax', enforcedBy: 'manage/console/sign-in-alert.ts' },
};
