import type { Generated } from 'kysely';

/** Who may administer, and what was done. */
export interface AdminTables {
  admin_tokens: AdminTokensTable;
  admin_writes: AdminWritesTable;
  audit: AuditTable;
  /** Whose business a line of the audit log was when it was written. */
  audit_accounts: { account_id: string; line: number };
  guess_counts: { name: string; until: number; version: number };
}

interface AdminTokensTable {
  id: string;
  name: string;
  role: 'owner' | 'operator' | 'read-only' | 'account';
  /** The one account a token of the role `account` is for. */
  account_id: string | null;
  /** Hex HMAC of the secret; the secret itself is nowhere. */
  digest: string;
  /** Names the secret that the digest was made with; null: the one that the store was made with. */
  digest_secret: Generated<string | null>;
  display: string;
  created_at: number;
  revoked_at: number | null;
  /** Up to a minute late. */
  last_used_at: Generated<number | null>;
}

/** Writes that came with an `Idempotency-Key`, for as long as they may be asked for again. */
interface AdminWritesTable {
  token_id: string;
  key_digest: string;
  request_digest: string;
  /** Sealed: it may hold a new secret. Null only inside the transaction that does the write. */
  reply: string | null;
  at: number;
}

/** Append-only: the database itself refuses to change or delete a row. */
interface AuditTable {
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
  /** Where it came from; nothing of commands, and of lines from before this was kept. */
  address: Generated<string | null>;
  /** What the client called itself. */
  device: Generated<string | null>;
}
