import { z } from 'zod';
import { batchStates } from '../../../core/batch-states.ts';

const count = z.int().min(0);
const unixSeconds = z.int().min(0);
const moment = unixSeconds.nullable();

export const fileSchema = z.strictObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: count,
  created_at: unixSeconds,
  expires_at: unixSeconds.optional().describe('When it is deleted. Missing: it stays until you delete it.'),
  filename: z.string(),
  purpose: z.string(),
  status: z.literal('processed'),
});

export const deletedFileSchema = z.strictObject({
  id: z.string(),
  object: z.literal('file'),
  deleted: z.literal(true),
});

export const uploadSchema = z.strictObject({
  purpose: z.string().describe('`batch` for the input of a batch. It may come before or after the file.'),
  file: z.string().describe('The file. For a batch its name ends in `.jsonl`.'),
  'expires_after[anchor]': z.literal('created_at').optional().describe('Needed with `expires_after[seconds]`.'),
  'expires_after[seconds]': z.int().min(3600).max(2_592_000).optional().describe('When it is deleted.'),
});

export const newBatchSchema = z.strictObject({
  input_file_id: z.string().describe('A file of this account with the purpose `batch`.'),
  endpoint: z
    .enum(['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/messages', '/v1/embeddings'])
    .describe('The endpoint of every line.'),
  completion_window: z.literal('24h').describe('The time that the batch has.'),
  metadata: z.record(z.string(), z.string()).nullish().describe('Up to 16 pairs, which the batch shows again.'),
  output_expires_after: z
    .strictObject({ anchor: z.literal('created_at'), seconds: z.int().min(3600).max(2_592_000) })
    .nullish()
    .describe('When the output file and the error file are deleted.'),
});

const problemSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().min(1).nullable(),
});

export const batchSchema = z.strictObject({
  id: z.string(),
  object: z.literal('batch'),
  endpoint: z.string(),
  errors: z
    .strictObject({ object: z.literal('list'), data: z.array(problemSchema) })
    .nullable()
    .describe('The problems of the input file, if the status is `failed`.'),
  input_file_id: z.string(),
  completion_window: z.literal('24h'),
  status: z.enum(batchStates),
  output_file_id: z.string().nullable().describe('Null until the batch has ended, or if no request succeeded.'),
  error_file_id: z.string().nullable().describe('Null until the batch has ended, or if every request succeeded.'),
  created_at: unixSeconds,
  in_progress_at: moment,
  expires_at: unixSeconds.describe('Requests that have not run by then expire.'),
  finalizing_at: moment,
  completed_at: moment,
  failed_at: moment,
  expired_at: moment,
  cancelling_at: moment,
  cancelled_at: moment,
  request_counts: z.strictObject({ total: count, completed: count, failed: count }),
  usage: z.strictObject({
    input_tokens: count,
    input_tokens_details: z.strictObject({ cached_tokens: count }),
    output_tokens: count,
    output_tokens_details: z.strictObject({ reasoning_tokens: count }),
    total_tokens: count,
  }),
  metadata: z.record(z.string(), z.string()).nullable(),
});

/** A page of files or batches. */
export function listSchema<Schema extends z.ZodType>(schema: Schema) {
  return z.strictObject({
    object: z.literal('list'),
    data: z.array(schema),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

export const newMessageBatchSchema = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        custom_id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        params: z.looseObject({}).describe('The body of a messages request, without `stream`.'),
      }),
    )
    .min(1)
    .max(100_000)
    .describe('The requests of the batch.'),
});

const isoTime = z.iso.datetime();

export const messageBatchSchema = z.strictObject({
  id: z.string(),
  type: z.literal('message_batch'),
  processing_status: z.enum(['in_progress', 'canceling', 'ended']),
  request_counts: z
    .strictObject({ processing: count, succeeded: count, errored: count, canceled: count, expired: count })
    .describe('All requests are `processing` until the batch has ended.'),
  created_at: isoTime,
  expires_at: isoTime,
  ended_at: isoTime.nullable(),
  cancel_initiated_at: isoTime.nullable(),
  archived_at: z.null(),
  results_url: z.string().nullable().describe('Where the results are, once the batch has ended.'),
});

export const messageBatchListSchema = z.strictObject({
  data: z.array(messageBatchSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});

export const deletedMessageBatchSchema = z.strictObject({
  id: z.string(),
  type: z.literal('message_batch_deleted'),
});
