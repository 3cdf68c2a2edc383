/** Bodies of requests whose keys have them stored. */
export interface BodyTables {
  stored_bodies: StoredBodiesTable;
  /** What each account has of them. */
  stored_body_sums: { account_id: string; requests: number; bytes: number };
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
