import { z } from 'zod';
import { body, get, otherAnswer, post, type PublicEndpoint, remove } from './endpoint.ts';

const creation = { isCreation: true, steps: ['key', 'body', 'inference'] } as const;
const list = { steps: ['key', 'body'] } as const;
const file = { steps: ['key', 'route'], parameters: { file_id: 'The id of a file of this account.' } } as const;
const batch = {
  steps: ['key', 'route'],
  parameters: { batch_id: 'The id of a batch of this account, as either format shows it.' },
} as const;

const uploadSchema = z.looseObject({
  purpose: z.string().describe('`batch` for the input of a batch. It may come before or after the file.'),
  file: z.string().describe('The file. For a batch its name ends in `.jsonl`.'),
});

const newBatchSchema = z.looseObject({
  input_file_id: z.string().describe('A file of this account with the purpose `batch`.'),
  endpoint: z
    .enum(['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/messages', '/v1/embeddings'])
    .describe('The endpoint of every line.'),
  completion_window: z.literal('24h').describe('The time that the batch has.'),
});

export const batchEndpoints: readonly PublicEndpoint[] = [
  post('/v1/files', 'createFile', 'Upload a file.', {
    description:
      'A form in OpenAI’s format of files, which may have `expires_after`. A file for a batch has one request on each line: `custom_id`, `method`, `url` and `body`. It is encrypted and stored while it arrives.',
    ...creation,
    request: {
      ...body('FileUpload', uploadSchema, { purpose: 'batch', file: '@lines.jsonl' }),
      contentType: 'multipart/form-data',
    },
    answer: otherAnswer('The file, in OpenAI’s format. Without `expires_at` it stays until you delete it.'),
  }),
  get('/v1/files', 'listFiles', 'List files.', {
    description: 'Paginated with `limit` and `after`, ordered by `order`, filtered by `purpose`.',
    ...list,
    answer: otherAnswer('The files of this account, in OpenAI’s format.'),
  }),
  get('/v1/files/{file_id}', 'getFile', 'Get one file.', {
    description: 'Its name, size and purpose, without the content.',
    ...file,
    answer: otherAnswer('The file.'),
  }),
  get('/v1/files/{file_id}/content', 'getFileContent', 'Download a file.', {
    description: 'Also the output file and the error file of a batch: one result on each line, in no order.',
    ...file,
    answer: otherAnswer('The bytes of the file.', 'application/octet-stream'),
  }),
  remove('/v1/files/{file_id}', 'deleteFile', 'Delete a file.', {
    description: 'The input of a batch can be deleted once the batch has ended.',
    ...file,
    steps: [...file.steps, 'version'],
    answer: otherAnswer('The file is deleted: its `id` and `deleted`.'),
  }),
  post('/v1/batches', 'createBatch', 'Create a batch.', {
    description:
      'The body has OpenAI’s format of batches, also `metadata` and `output_expires_after`. Its requests run when upstreams have idle slots, within 24 hours. Problems of the input file are in `errors` of the batch, not in this answer.',
    ...creation,
    request: body('NewBatch', newBatchSchema, {
      input_file_id: 'file-20261115065054123abcdefghij',
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
    answer: otherAnswer('The batch, in OpenAI’s format.'),
  }),
  get('/v1/batches', 'listBatches', 'List batches.', {
    description: 'Newest first. Paginated with `limit` and `after`.',
    ...list,
    answer: otherAnswer('The batches of this account, in OpenAI’s format.'),
  }),
  get('/v1/batches/{batch_id}', 'getBatch', 'Get one batch.', {
    description: 'Poll it until its status is `completed`, `failed`, `expired` or `cancelled`.',
    ...batch,
    answer: otherAnswer(
      'The batch. It has no output file if no request succeeded, and no error file if every request succeeded.',
    ),
  }),
  post('/v1/batches/{batch_id}/cancel', 'cancelBatch', 'Cancel a batch.', {
    description:
      'Requests that run are aborted, and charged for their prompt and the output so far. All requests without an answer are in the error file with `batch_cancelled`.',
    ...batch,
    steps: [...batch.steps, 'version'],
    answer: otherAnswer('The batch, which is `cancelling`.'),
  }),
];

const batches = '{messages_prefix}/v1/messages/batches';
const surface = 'messages';

const newMessageBatchSchema = z.strictObject({
  requests: z
    .array(z.looseObject({ custom_id: z.string(), params: z.looseObject({}) }))
    .describe('Up to 100,000 requests. `params` is the body of a messages request, without `stream`.'),
});

export const messageBatchEndpoints: readonly PublicEndpoint[] = [
  post(batches, 'createMessageBatch', 'Create a batch of messages requests.', {
    surface,
    description:
      'All requests are in one body, which may be larger than other bodies. An error names the index of the request. Its requests run when upstreams have idle slots, within 24 hours.',
    ...creation,
    request: body('NewMessageBatch', newMessageBatchSchema, {
      requests: [
        {
          custom_id: 'one',
          params: { model: 'acme-large', max_tokens: 200, messages: [{ role: 'user', content: 'Hello!' }] },
        },
      ],
    }),
    answer: otherAnswer('The batch, in Anthropic’s format. All requests are `processing` until it has ended.'),
  }),
  get(batches, 'listMessageBatches', 'List batches of messages requests.', {
    surface,
    description: 'Newest first. Paginated with `limit`, `after_id` and `before_id`.',
    ...list,
    answer: otherAnswer('The batches of this account, in Anthropic’s format.'),
  }),
  get(`${batches}/{batch_id}`, 'getMessageBatch', 'Get one batch of messages requests.', {
    surface,
    description: 'Poll it until its `processing_status` is `ended`.',
    ...batch,
    answer: otherAnswer('The batch.'),
  }),
  get(`${batches}/{batch_id}/results`, 'getMessageBatchResults', 'Get the results of a batch.', {
    surface,
    description: 'One result on each line, in no order: `succeeded`, `errored`, `canceled` or `expired`.',
    ...batch,
    answer: otherAnswer('Lines of JSON.', 'application/x-jsonl'),
  }),
  post(`${batches}/{batch_id}/cancel`, 'cancelMessageBatch', 'Cancel a batch of messages requests.', {
    surface,
    description: 'Requests that run still end. The others have the result `canceled`.',
    ...batch,
    answer: otherAnswer('The batch, which is `canceling`.'),
  }),
  remove(`${batches}/{batch_id}`, 'deleteMessageBatch', 'Delete a batch that has ended.', {
    surface,
    description: 'Its results are deleted with it.',
    ...batch,
    answer: otherAnswer('The batch is deleted: its `id`.'),
  }),
];
