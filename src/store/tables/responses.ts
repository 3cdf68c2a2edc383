/** Responses that later requests may refer to. */
export interface ResponseTables {
  kept_responses: KeptResponsesTable;
  kept_items: { account_id: string; item_id: string; response_id: string };
  kept_sums: { account_id: string; responses: number; bytes: number };
}

interface KeptResponsesTable {
  id: string;
  account_id: string;
  model: string;
  /** The previous response in the conversation. */
  previous_id: string | null;
  created_at: number;
  /** Size of `sealed`. */
  bytes: number;
  /** Input and response as JSON, encrypted by the vault for this account and id. */
  sealed: string;
}
