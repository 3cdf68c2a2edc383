import { z } from 'zod';
import { responsesRequestSchema } from '../../dialects/responses/request/request-schema.ts';
import type { PublicEndpoint } from './endpoint.ts';
import { responseSchema } from './responses-schemas.ts';

const parameters = { id: 'The id of a response that is stored, or that is in progress and will be stored.' };
const steps = ['key', 'route'] as const;

const deletedSchema = z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) });

const itemListSchema = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe('Send it as `after` to get the next page.'),
  has_more: z.boolean(),
});

const inputTokensSchema = z.strictObject({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().min(0),
});

const compactionSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(z.looseObject({ type: z.string() })).describe('The input to continue with.'),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable(),
});

const conversation = {
  model: 'acme-large',
  input: [{ type: 'message', role: 'user', content: 'Why is the sky blue?' }],
};

/** The endpoints of stored responses. */
export function storedResponsesEndpoints(response: unknown): readonly PublicEndpoint[] {
  return [
    getEndpoint(response),
    deleteEndpoint,
    inputItemsEndpoint,
    cancelEndpoint(response),
    inputTokensEndpoint,
    compactEndpoint,
  ];
}

function getEndpoint(response: unknown): PublicEndpoint {
  return {
    method: 'get',
    path: '/v1/responses/{id}',
    operationId: 'getResponse',
    summary: 'Get a response that is stored or in progress.',
    description:
      'Responses are stored encrypted, for their account only, unless the request has `store: false`. With `?stream=true` the response is sent as events with their original sequence numbers, or with each text in one piece if it was not streamed; `starting_after` skips events up to a number. A response in progress is returned as far as it has come, and its events are streamed live, by the process that generates it. `include[]=reasoning.encrypted_content` adds sealed reasoning.',
    steps,
    parameters,
    answer: {
      kind: 'json',
      description: 'The response.',
      name: 'Response',
      schema: responseSchema,
      example: response,
    },
  };
}

const deleteEndpoint: PublicEndpoint = {
  method: 'delete',
  path: '/v1/responses/{id}',
  operationId: 'deleteResponse',
  summary: 'Delete a response.',
  description:
    'Responses that continue it can then no longer be continued. A response in progress cannot be deleted: close its connection, and it is not stored.',
  steps: [...steps, 'version'],
  parameters,
  answer: {
    kind: 'json',
    description: 'The response is deleted.',
    name: 'DeletedResponse',
    schema: deletedSchema,
    example: { id: 'resp_7Q2mVx', object: 'response', deleted: true },
  },
};

const inputItemsEndpoint: PublicEndpoint = {
  method: 'get',
  path: '/v1/responses/{id}/input_items',
  operationId: 'listInputItems',
  summary: 'List the input items of a response.',
  description: 'Paginated with `limit` (1 to 100, default 20), `after` and `order` (default `desc`).',
  steps,
  parameters,
  answer: {
    kind: 'json',
    description: 'A page of the items.',
    name: 'ItemList',
    schema: itemListSchema,
    example: {
      object: 'list',
      data: [{ id: 'msg_7Q2mVx_i0', type: 'message', role: 'user', content: 'Why is the sky blue?' }],
      first_id: 'msg_7Q2mVx_i0',
      last_id: 'msg_7Q2mVx_i0',
      has_more: false,
    },
  },
};

function cancelEndpoint(response: unknown): PublicEndpoint {
  return {
    method: 'post',
    path: '/v1/responses/{id}/cancel',
    operationId: 'cancelResponse',
    summary: 'Cancel a background response.',
    description:
      'This gateway has no background responses. A response of your account returns 400, every other id 404. To cancel a response in progress, close its connection.',
    steps: ['key', 'route', 'body'],
    parameters,
    isUnjoined: true,
    answer: {
      kind: 'json',
      description: 'Clients of the format expect the response here. It is never returned.',
      name: 'Response',
      schema: responseSchema,
      example: response,
    },
  };
}

const inputTokensEndpoint: PublicEndpoint = {
  method: 'post',
  path: '/v1/responses/input_tokens',
  operationId: 'countInputTokens',
  summary: 'Count the tokens of a request.',
  description:
    'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
  steps: ['key', 'body', 'model', 'inference'],
  isUnjoined: true,
  request: { name: 'ResponsesRequest', schema: responsesRequestSchema, defaults: {}, example: conversation },
  answer: {
    kind: 'json',
    description: 'The count.',
    name: 'InputTokens',
    schema: inputTokensSchema,
    example: { object: 'response.input_tokens', input_tokens: 13 },
  },
};

const compactEndpoint: PublicEndpoint = {
  method: 'post',
  path: '/v1/responses/compact',
  operationId: 'compactConversation',
  summary: 'Compact a conversation.',
  description:
    'The model summarises it. The answer is the input to continue with: the user’s messages, and a sealed summary of the rest, which this account can use with the same model.',
  steps: ['key', 'body', 'model', 'inference'],
  request: { name: 'ResponsesRequest', schema: responsesRequestSchema, defaults: {}, example: conversation },
  answer: {
    kind: 'json',
    description: 'The shorter conversation.',
    name: 'Compaction',
    schema: compactionSchema,
    example: {
      id: 'resp_7Q2mVx',
      object: 'response.compaction',
      created_at: 1_790_000_000,
      output: [...conversation.input, { id: 'cmp_7Q2mVx_0', type: 'compaction', encrypted_content: 'gw1.…' }],
      usage: { input_tokens: 120, output_tokens: 40 },
    },
  },
};
