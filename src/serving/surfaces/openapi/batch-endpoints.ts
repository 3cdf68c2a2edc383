import {
  batchSchema,
  deletedFileSchema,
  deletedMessageBatchSchema,
  fileSchema,
  listSchema,
  messageBatchListSchema,
  messageBatchSchema,
  newBatchSchema,
  newMessageBatchSchema,
  uploadSchema,
} from './batch-schemas.ts';
import { body, get, jsonAnswer, otherAnswer, post, type PublicEndpoint, remove } from './endpoint.ts';

const fileExample = {
  id: 'file-20261115065054123abcdefghij',
  object: 'file',
  bytes: 254,
  created_at: 1_794_725_454,
  expires_at: 1_797_317_454,
  filename: 'lines.jsonl',
  purpose: 'batch',
  status: 'processed',
};

const batchExample = {
  id: 'batch_20261115065104123abcdefghij',
  object: 'batch',
  endpoint: '/v1/chat/completions',
  errors: null,
  input_file_id: fileExample.id,
  completion_window: '24h',
  status: 'in_progress',
  output_file_id: null,
  error_file_id: null,
  created_at: 1_794_725_464,
  in_progress_at: 1_794_725_465,
  expires_at: 1_794_811_864,
  finalizing_at: null,
  completed_at: null,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 2, completed: 1, failed: 0 },
  usage: {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 42,
  },
  metadata: null,
};

function pageOf<Entry extends { readonly id: string }>(entry: Entry) {
  return { object: 'list', data: [entry], first_id: entry.id, last_id: entry.id, has_more: false };
}

const fileId = { file_id: 'The id of a file of this account.' };
const batchId = { batch_id: 'The id of a batch of this account, as either format shows it.' };

export const batchEndpoints: readonly PublicEndpoint[] = [
  post('/v1/files', 'createFile', 'Upload a file.', {
    description:
      'A form with the file and its purpose. A file for a batch has one request on each line: `custom_id`, `method`, `url` and `body`. It is encrypted and stored while it arrives.',
    isCreation: true,
    steps: ['key', 'body', 'inference'],
    request: {
      ...body('FileUpload', uploadSchema, { purpose: 'batch', file: '@lines.jsonl' }),
      contentType: 'multipart/form-data',
    },
    answer: jsonAnswer('The file.', 'File', fileSchema, fileExample),
  }),
  get('/v1/files', 'listFiles', 'List files.', {
    description: 'Paginated with `limit` and `after`, ordered by `order`, filtered by `purpose`.',
    steps: ['key', 'body'],
    answer: jsonAnswer('The files of this account.', 'FileList', listSchema(fileSchema), pageOf(fileExample)),
  }),
  get('/v1/files/{file_id}', 'getFile', 'Get one file.', {
    description: 'Its name, size and purpose, without the content.',
    steps: ['key', 'route'],
    parameters: fileId,
    answer: jsonAnswer('The file.', 'File', fileSchema, fileExample),
  }),
  get('/v1/files/{file_id}/content', 'getFileContent', 'Download a file.', {
    description: 'Also the output file and the error file of a batch: one result on each line, in no order.',
    steps: ['key', 'route'],
    parameters: fileId,
    answer: otherAnswer('The bytes of the file.', 'application/octet-stream'),
  }),
  remove('/v1/files/{file_id}', 'deleteFile', 'Delete a file.', {
    description: 'The input of a batch can be deleted once the batch has ended.',
    steps: ['key', 'route', 'version'],
    parameters: fileId,
    answer: jsonAnswer('The file is deleted.', 'DeletedFile', deletedFileSchema, {
      id: fileExample.id,
      object: 'file',
      deleted: true,
    }),
  }),
  post('/v1/batches', 'createBatch', 'Create a batch.', {
    description:
      'Its requests run when upstreams have idle slots, within 24 hours. Problems of the input file are in `errors` of the batch, not in this answer.',
    isCreation: true,
    steps: ['key', 'body', 'inference'],
    request: body('NewBatch', newBatchSchema, {
      input_file_id: fileExample.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    }),
    answer: jsonAnswer('The batch.', 'Batch', batchSchema, batchExample),
  }),
  get('/v1/batches', 'listBatches', 'List batches.', {
    description: 'Newest first. Paginated with `limit` and `after`.',
    steps: ['key', 'body'],
    answer: jsonAnswer('The batches of this account.', 'BatchList', listSchema(batchSchema), pageOf(batchExample)),
  }),
  get('/v1/batches/{batch_id}', 'getBatch', 'Get one batch.', {
    description: 'Poll it until its status is `completed`, `failed`, `expired` or `cancelled`.',
    steps: ['key', 'route'],
    parameters: batchId,
    answer: jsonAnswer('The batch.', 'Batch', batchSchema, batchExample),
  }),
  post('/v1/batches/{batch_id}/cancel', 'cancelBatch', 'Cancel a batch.', {
    description:
      'Requests that run are aborted, and charged for their prompt and the output so far. All requests without an answer are in the error file with `batch_cancelled`.',
    steps: ['key', 'route', 'version'],
    parameters: batchId,
    answer: jsonAnswer('The batch, which is `cancelling`.', 'Batch', batchSchema, {
      ...batchExample,
      status: 'cancelling',
      cancelling_at: 1_794_725_500,
    }),
  }),
];

const messageBatchExample = {
  id: 'msgbatch_20261115065104123abcdefghij',
  type: 'message_batch',
  processing_status: 'in_progress',
  request_counts: { processing: 2, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
  created_at: '2026-11-15T06:51:04.000Z',
  expires_at: '2026-11-16T06:51:04.000Z',
  ended_at: null,
  cancel_initiated_at: null,
  archived_at: null,
  results_url: null,
};

const batches = '{messages_prefix}/v1/messages/batches';

export const messageBatchEndpoints: readonly PublicEndpoint[] = [
  post(batches, 'createMessageBatch', 'Create a batch of messages requests.', {
    surface: 'messages',
    description:
      'All requests are in one body, which may be larger than other bodies. An error names the index of the request. Its requests run when upstreams have idle slots, within 24 hours.',
    isCreation: true,
    steps: ['key', 'body', 'inference'],
    request: body('NewMessageBatch', newMessageBatchSchema, {
      requests: [
        {
          custom_id: 'one',
          params: { model: 'acme-large', max_tokens: 200, messages: [{ role: 'user', content: 'Hello!' }] },
        },
      ],
    }),
    answer: jsonAnswer('The batch.', 'MessageBatch', messageBatchSchema, messageBatchExample),
  }),
  get(batches, 'listMessageBatches', 'List batches of messages requests.', {
    surface: 'messages',
    description: 'Newest first. Paginated with `limit`, `after_id` and `before_id`.',
    steps: ['key', 'body'],
    answer: jsonAnswer('The batches of this account.', 'MessageBatchList', messageBatchListSchema, {
      data: [messageBatchExample],
      has_more: false,
      first_id: messageBatchExample.id,
      last_id: messageBatchExample.id,
    }),
  }),
  get(`${batches}/{batch_id}`, 'getMessageBatch', 'Get one batch of messages requests.', {
    surface: 'messages',
    description: 'Poll it until its `processing_status` is `ended`.',
    steps: ['key', 'route'],
    parameters: batchId,
    answer: jsonAnswer('The batch.', 'MessageBatch', messageBatchSchema, messageBatchExample),
  }),
  get(`${batches}/{batch_id}/results`, 'getMessageBatchResults', 'Get the results of a batch.', {
    surface: 'messages',
    description: 'One result on each line, in no order: `succeeded`, `errored`, `canceled` or `expired`.',
    steps: ['key', 'route'],
    parameters: batchId,
    answer: otherAnswer('Lines of JSON.', 'application/x-jsonl'),
  }),
  post(`${batches}/{batch_id}/cancel`, 'cancelMessageBatch', 'Cancel a batch of messages requests.', {
    surface: 'messages',
    description: 'Requests that run still end. The others have the result `canceled`.',
    steps: ['key', 'route'],
    parameters: batchId,
    answer: jsonAnswer('The batch, which is `canceling`.', 'MessageBatch', messageBatchSchema, {
      ...messageBatchExample,
      processing_status: 'canceling',
      cancel_initiated_at: '2026-11-15T06:52:00.000Z',
    }),
  }),
  remove(`${batches}/{batch_id}`, 'deleteMessageBatch', 'Delete a batch that has ended.', {
    surface: 'messages',
    description: 'Its results are deleted with it.',
    steps: ['key', 'route'],
    parameters: batchId,
    answer: jsonAnswer('The batch is deleted.', 'DeletedMessageBatch', deletedMessageBatchSchema, {
      id: messageBatchExample.id,
      type: 'message_batch_deleted',
    }),
  }),
];
