/** Request and response bodies, stored for keys that opt in. */
export interface BodyTables {
  stored_bodies: StoredBodiesTable;
  /** Sums per account. */
  stored_body_sums: { account_id: string; requests: number; bytes: number };
  /** Bodies deleted on demand. `subject` is a request, or a key: then all bodies stored for it until then. */
  deleted_bodies: { subject: string; deleted_at: number };
}

interface StoredBodiesTable {
  request_id: string;
  account_id: string;
  key_id: string;
  stored_at: number;
  /** Full lengths of the bodies, even if they were truncated. */
  request_bytes: number;
  answer_bytes: number;
  /** Size of `sealed`. */
  bytes: number;
  /** Both bodies as JSON, encrypted for this account and request. */
  sealed: string;
}
