import { byChanges, type TableBounds } from './columns.ts';

/** Encrypted contents of accounts: responses that later requests may refer to, bodies of keys that opt in, and files. */
export interface BlobTables {
  sealed_blobs: {
    kind: BlobKind;
    /** Id of the response, or of the request that the bodies belong to. */
    id: string;
    account_id: string;
    created_at: number;
    /** Size of the encrypted text. */
    bytes: number;
    /** Of a response: the previous response in the conversation. */
    previous_id: string | null;
    /** Of bodies: the key of the request, and the full lengths of both bodies, even if they were truncated. */
    key_id: string | null;
    request_bytes: number | null;
    answer_bytes: number | null;
    /** Encrypted for this kind, account and id. */
    sealed: string;
  };
  blob_sums: { kind: BlobKind; account_id: string; blobs: number; bytes: number };
  /** Items with ids of their own, and the stored response that contains each. */
  stored_items: { account_id: string; item_id: string; response_id: string };
  /** Things that a provider stores under a credential of the operator, by the account that received their ids. */
  provider_things: { account_id: string; id: string; upstream: string; credential: number; received_at: number };
  /** Bodies deleted on demand. `subject` is a request, or a key: then all bodies stored for it until then. */
  deleted_bodies: { subject: string; deleted_at: number };
}

/** `files`, `gateway_files`: a chunk of a file, by its origin. `batch_lines`: the body of a line's outcome, until the output file has it. */
export type BlobKind = 'responses' | 'bodies' | 'files' | 'gateway_files' | 'batch_lines';

export const blobBounds: TableBounds<BlobTables> = {
  sealed_blobs: { quota: 'accountBytesMax', enforcedBy: 'work/files/file-writer.ts' },
  blob_sums: { reason: 'one row per account and kind' },
  stored_items: { reason: 'items of stored responses, which are deleted with them' },
  provider_things: { quota: 'thingsMax', enforcedBy: 'work/provider-things/provider-things.ts' },
  deleted_bodies: byChanges,
};
