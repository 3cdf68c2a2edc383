import type { ColumnType } from 'kysely';
import type { batchStates } from '../../../core/batch-states.ts';
import type { Money, OptionalMoney, TableBounds } from './columns.ts';

/** Files of accounts, and batches: many requests that run when an upstream has idle slots. */
export interface BatchTables {
  /** Quotas: `account_files_max` and `account_bytes_max`, of the files that clients send. */
  files: {
    /** Sorts by time of creation. */
    id: string;
    account_id: string;
    key_id: string;
    purpose: string;
    filename: string;
    bytes: number;
    /** Sealed blobs of kind `files` with the content, numbered from 0. Of an upload: the most it may have so far. */
    chunks: number;
    /** Newlines of its content. */
    lines: number;
    origin: FileOrigin;
    state: FileState;
    created_at: number;
    /** Null: kept until it is deleted. Of an upload: its client must have sent more of it until then. */
    expires_at: number | null;
  };
  /**
   * Quotas: `account_batches_max` of those that have not ended, 1,000 of those that ended without an answer and a cost;
   * `background_max` of responses in the background.
   */
  batches: {
    /** Without a prefix, and sorts by time of creation: each format adds its own prefix. */
    id: string;
    /** A batch of lines, or one response in the background. */
    kind: 'batch' | 'response';
    /** The format of the client that created it. Both formats show it. */
    format: 'openai' | 'anthropic';
    account_id: string;
    key_id: string;
    /** The client that created it: its site, its address, and headers that its lines need, as a JSON object. */
    host: string;
    address: string;
    headers: string;
    endpoint: string;
    input_file_id: string;
    /** JSON object. Of a response in the background: its object when it was created, sealed. */
    metadata: string | null;
    state: (typeof batchStates)[number];
    created_at: number;
    expires_at: number;
    in_progress_at: number | null;
    finalizing_at: number | null;
    cancelling_at: number | null;
    ended_at: number | null;
    output_seconds: number | null;
    output_file_id: string | null;
    error_file_id: string | null;
    /** JSON list of the problems of its lines, if it failed. */
    problems: string | null;
    /** The process that checks its lines or writes its files. */
    process_id: string | null;
    /** How often its lines were checked, or its files written, without an end. The next attempt waits until `not_before`. */
    attempts: ColumnType<number, number | undefined>;
    not_before: ColumnType<number, number | undefined>;
    /** Sums of its lines. They are final once the batch has ended, and its lines are deleted then. */
    lines: number;
    succeeded: number;
    failed: number;
    cancelled: number;
    expired: number;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost: Money;
  };
  /** Quota: `account_lines_max`, of batches that have not ended. */
  batch_lines: {
    batch_id: string;
    /** Counts from 1, blank lines included. */
    line: number;
    custom_id: string;
    /** The text of the line in its file: the chunk, and the first byte and length there. */
    chunk: number;
    first_byte: number;
    bytes: number;
    state: LineState;
    /** The process that runs it. */
    process_id: string | null;
    /** The request of its last attempt. A charge and an outcome of an earlier attempt are rejected. */
    request_id: string | null;
    /** How many of its attempts failed at the provider or in the gateway. */
    failures: number;
    /** It waits until then after an attempt that found no capacity. */
    not_before: number;
    /** Of a response in the background: when a provider began to work on it, and when a client first got a part of it. */
    started_at: number | null;
    streamed_at: number | null;
    /** HTTP status of its outcome; its body is the sealed blob of kind `batch_lines` with the id of the request. */
    status: number | null;
    input_tokens: number | null;
    cached_tokens: number | null;
    cache_write_tokens: number | null;
    output_tokens: number | null;
    reasoning_tokens: number | null;
    cost: OptionalMoney;
  };
}

/** `gateway`: an output file, or the input of a response in the background. Quotas of batches and responses bound them. */
export type FileOrigin = 'client' | 'gateway';

/** Only `ready` files are visible. `internal`: the input of a response in the background. `deleted`: its chunks go next. */
export type FileState = 'uploading' | 'ready' | 'internal' | 'deleted';

/** `interrupted`: its process ended after a part of the answer was charged. */
export type LineState = 'queued' | 'running' | 'succeeded' | 'failed' | 'interrupted' | 'cancelled' | 'expired';

export const batchBounds: TableBounds<BatchTables> = {
  files: { quota: 'accountFilesMax', enforcedBy: 'work/files/file-writer.ts' },
  batches: { quota: 'accountBatchesMax', enforcedBy: 'work/batches/batches.ts' },
  batch_lines: { quota: 'accountLinesMax', enforcedBy: 'work/batches/batches.ts' },
};
