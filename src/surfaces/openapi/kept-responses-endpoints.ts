import { z } from 'zod';
import { responsesRequestSchema } from '../../dialects/responses/request-schema.ts';
import type { PublicEndpoint } from './endpoint.ts';
import { responseSchema } from './responses-schemas.ts';

const parameters = { id: 'The id of a response that is kept, or being streamed and going to be.' };
const steps = ['key', 'route'] as const;

const deletedSchema = z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) });

const itemListSchema = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe('Ask for the next page with it as `after`.'),
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
  output: z.array(z.looseObject({ type: z.string() })).describe('The input to go on with.'),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable(),
});

const conversation = {
  model: 'acme-large',
  input: [{ type: 'message', role: 'user', content: 'Why is the sky blue?' }],
};

/** What is around the responses that are kept. */
export function keptResponsesEndpoints(response: unknown): readonly PublicEndpoint[] {
  return [
    {
      method: 'get',
      path: '/v1/responses/{id}',
      operationId: 'getResponse',
      summary: 'A response that is kept or being made.',
      description:
        'Responses are kept, encrypted and for their account alone, unless asked for with `store: false`. With `?stream=true` it comes as events again, with the numbers they had the first time, or with each text in one piece if it was not streamed; `starting_after` leaves those up to a number out. One that is still being made is shown as far as it has come, and its events are told as they come, by the process that makes it. `include[]=reasoning.encrypted_content` shows sealed thoughts.',
      steps,
      parameters,
      answer: {
        kind: 'json',
        description: 'The response.',
        name: 'Response',
        schema: responseSchema,
        example: response,
      },
    },
    {
      method: 'delete',
      path: '/v1/responses/{id}',
      operationId: 'deleteResponse',
      summary: 'Forget a response.',
      description:
        'What goes on from it cannot be gone on from any more. One that is still being made is not deleted: close its connection, and it is not kept.',
      steps: [...steps, 'version'],
      parameters,
      answer: {
        kind: 'json',
        description: 'It is gone.',
        name: 'DeletedResponse',
        schema: deletedSchema,
        example: { id: 'resp_7Q2mVx', object: 'response', deleted: true },
      },
    },
    {
      method: 'get',
      path: '/v1/responses/{id}/input_items',
      operationId: 'listInputItems',
      summary: 'What a response was asked with.',
      description: 'In pages, with `limit` (1 to 100, 20 unless said), `after` and `order` (`desc` unless said).',
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
    },
    {
      method: 'post',
      path: '/v1/responses/{id}/cancel',
      operationId: 'cancelResponse',
      summary: 'End a response that is made in the background.',
      description:
        'None is made in the background here, so that a response of yours is answered with 400 and every other one with 404. To end one that is being made, close its connection.',
      steps: ['key', 'route', 'body'],
      parameters,
      isUnjoined: true,
      answer: {
        kind: 'json',
        description: 'Clients of the format expect the response here. It is not given.',
        name: 'Response',
        schema: responseSchema,
        example: response,
      },
    },
    {
      method: 'post',
      path: '/v1/responses/input_tokens',
      operationId: 'countInputTokens',
      summary: 'Count the tokens of a request.',
      description: 'By the provider where it can count, else by a tokenizer of our own, which is an estimate. Free.',
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
    },
    {
      method: 'post',
      path: '/v1/responses/compact',
      operationId: 'compactConversation',
      summary: 'Make a conversation short.',
      description:
        'The model summarises it. The answer is the input to go on with: what the user said, and a sealed summary of the rest, which this account can use with the same model.',
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
    },
  ];
}
