import { z } from 'zod';
import { problemsOf } from '../../../work/batches/batch-rows.ts';
import type { BatchState } from '../../../work/batches/batches.ts';
import { batchStates } from '../../../core/batch-states.ts';
import { documentAs, moneySchema, timeSchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';

const countsSchema = z.strictObject({
  total: z.int().describe('Requests in the input file. 0 until they are counted.'),
  running: z.int().describe('Requests that processes have claimed: they run, or wait for a slot.'),
  succeeded: z.int(),
  failed: z.int().describe('Requests that were refused, failed, or lost their process.'),
  cancelled: z.int().describe('Requests that did not run because the batch was cancelled.'),
  expired: z.int().describe('Requests that did not run before the deadline.'),
});

export const batchFields = {
  id: z.string().describe('As clients of the OpenAI format see it: `batch_` and the id.'),
  account_id: z.string(),
  key_id: z.string(),
  endpoint: z.string(),
  format: z.enum(['openai', 'anthropic']).describe('Format of the client that created it.'),
  state: z.enum(batchStates),
  counts: countsSchema,
  cost: moneySchema.describe('Charged so far.'),
  created_at: timeSchema,
  deadline_at: timeSchema.describe('Requests that have not run by then expire.'),
  ended_at: timeSchema.nullable(),
  input_file_id: z.string(),
  output_file_id: z.string().nullable(),
  error_file_id: z.string().nullable(),
};

const problemSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  param: z.string().nullable(),
  line: z.int().nullable().describe('Line of the input file. Null: the file as a whole.'),
});

const fileSchema = z.strictObject({
  id: z.string(),
  bytes: z.int(),
  deleted_at: timeSchema.nullable().describe('When it is deleted automatically.'),
});

export const batchDetailFields = {
  ...batchFields,
  input_tokens: z.int(),
  output_tokens: z.int(),
  problems: z.array(problemSchema).describe('Problems of the input file. Empty unless the batch failed.'),
  output: fileSchema.nullable().describe('Null: there is none, or it was deleted.'),
  errors: fileSchema.nullable().describe('The error file. Null: there is none, or it was deleted.'),
};

export const batchParts = [
  { name: 'BatchCounts', schema: countsSchema },
  { name: 'BatchProblem', schema: problemSchema },
  { name: 'BatchFile', schema: fileSchema },
];

/** Only their own account reads results, by the rule for stored bodies. */
export const ownBatchDetailFields = {
  ...batchDetailFields,
  readable: z
    .boolean()
    .describe('Whether you may read the results. Owners and members of the account may, viewers may not.'),
};

type BatchDocument = z.input<z.ZodObject<typeof batchFields>>;

export function batchDocument({ batch, sums }: BatchState): BatchDocument {
  const { lines: total, running, succeeded, failed, cancelled, expired } = sums;
  return documentAs(batchFields, {
    id: `batch_${batch.id}`,
    accountId: batch.account_id,
    keyId: batch.key_id,
    endpoint: batch.endpoint,
    format: batch.format,
    state: batch.state,
    counts: { total, running, succeeded, failed, cancelled, expired },
    cost: sums.cost,
    createdAt: batch.created_at,
    deadlineAt: batch.expires_at,
    endedAt: batch.ended_at,
    inputFileId: batch.input_file_id,
    outputFileId: batch.output_file_id,
    errorFileId: batch.error_file_id,
  });
}

export async function batchDetail({ files, store }: AdminParts, state: BatchState) {
  const { batch, sums } = state;
  const fileOf = async (id: string | null): Promise<z.input<typeof fileSchema> | null> => {
    const file = id === null ? undefined : await files.within(store).find(batch.account_id, id);
    return file ? documentAs(fileSchema.shape, { ...file, deletedAt: file.expires_at }) : null;
  };
  return {
    ...batchDocument(state),
    input_tokens: sums.inputTokens,
    output_tokens: sums.outputTokens,
    problems: problemsOf(batch).map((problem) => ({ ...problem })),
    output: await fileOf(batch.output_file_id),
    errors: await fileOf(batch.error_file_id),
  };
}
