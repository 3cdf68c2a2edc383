import type { Generated } from 'kysely';
import { byChanges, type SecretDigest, type TableBounds } from './columns.ts';

/** Access to the admin API, and the audit log. */
export interface AdminTables {
  admin_tokens: SecretDigest & {
    id: string;
    name: string;
    role: 'owner' | 'operator' | 'read-only' | 'account';
    /** The only account that a token with the role `account` may access. */
    account_id: string | null;
    created_at: number;
    /** The actor that created it; null: the gateway. */
    created_by: Generated<string | null>;
    revoked_at: number | null;
    /** Up to one minute old. */
    last_used_at: Generated<number | null>;
  };
  /** Writes that their clients may retry, kept for one day. */
  admin_writes: {
    /** The admin token or user with its account, or an API key with its site and endpoint: only they find the reply. */
    token_id: string;
    key_digest: string;
    request_digest: string;
    /** Encrypted, because it may contain a new secret. Null only inside the transaction of the write. */
    reply: string | null;
    at: number;
  };
  /** Append-only: the database rejects updates and deletions. */
  audit: {
    id: Generated<number>;
    at: number;
    actor: string;
    role: string;
    action: string;
    subject_kind: string;
    subject_id: string;
    /** JSON, without secrets. */
    before: string | null;
    after: string | null;
    request_id: string | null;
    /** The client's IP address. Null for commands. */
    address: Generated<string | null>;
    /** The client's user agent. */
    device: Generated<string | null>;
  };
  /** The accounts that an audit row concerned when it was written. */
  audit_accounts: { account_id: string; line: number };
  leaky_counts: { name: string; until: number; version: number };
}

export const adminBounds: TableBounds<AdminTables> = {
  admin_tokens: { reason: 'rows of the operator' },
  admin_writes: { quota: 'writesMax', enforcedBy: 'money/accounts/write-once.ts' },
  audit: byChanges,
  audit_accounts: byChanges,
  leaky_counts: { reason: 'deleted at zero; names that strangers choose are slowed down by address' },
};
