/** Bodies of requests whose keys have them stored. */
export interface BodyTables {
  stored_bodies: StoredBodiesTable;
  /** What each account has of them. */
  stored_body_sums: { account_id: string; requests: number; bytes: number };
  /** Those that were deleted on demand: `subject` is a request, or a key with all that was stored for it until then. */
  deleted_bodies: { subject: string; deleted_at: number };
}

interface StoredBodiesTable {
  request_id: string;
  account_id: string;
  key_id: string;
  stored_at: number;
  /** How long the bodies were, whatever was kept of them. */
  request_bytes: number;
  answer_bytes: number;
  /** Size of what is sealed. */
  bytes: number;
  /** Both bodies as JSON, sealed for this account and request. */
  sealed: string;
}
