import { z } from 'zod';
import { ResponseStream } from 'chat-formats/responses/encode-stream.ts';
import { responsesRequestSchema } from 'chat-formats/responses/request/request-schema.ts';
import { body, get, inferenceSteps, jsonAnswer, post, type PublicEndpoint, remove } from './endpoint.ts';
import { eventsOf } from './examples.ts';
import { costSchema } from './schemas.ts';

// The answers of the responses endpoints. Additional fields of providers are passed on.

const tokens = z.int().min(0);

const usageSchema = z.looseObject({
  input_tokens: tokens.describe('All input, cached input included.'),
  input_tokens_details: z.looseObject({ cached_tokens: tokens }),
  output_tokens: tokens.describe('Output, reasoning included.'),
  output_tokens_details: z.looseObject({ reasoning_tokens: tokens }),
  total_tokens: tokens,
  cost: costSchema,
});

const itemSchema = z
  .looseObject({ type: z.string() })
  .describe(
    'A piece of the answer: `reasoning`, `message`, `function_call`, `custom_tool_call` or a type of the provider.',
  );

const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.string().describe('`queued`, `in_progress`, `completed`, `incomplete`, `failed` or `cancelled`.'),
  model: z.string(),
  output: z.array(itemSchema),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z
    .looseObject({ reason: z.string() })
    .nullable()
    .describe('Why an incomplete answer ended: `max_output_tokens` or `content_filter`.'),
  usage: usageSchema.nullable(),
});

const responseEventSchema = z
  .looseObject({ type: z.string(), sequence_number: z.int() })
  .describe(
    '`response.created`, while it waits `response.queued`, then `response.in_progress`; for each item `response.output_item.added`, its parts and deltas, and `response.output_item.done`; at the end `response.completed`, `response.incomplete`, `response.cancelled` or, after `error`, `response.failed`.',
  );

const deletedSchema = z.strictObject({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) });

const itemListSchema = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe('Send it as `after` to get the next page.'),
  has_more: z.boolean(),
});

const inputTokensSchema = z.strictObject({ object: z.literal('response.input_tokens'), input_tokens: z.int().min(0) });

const compactionSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.int(),
  output: z.array(z.looseObject({ type: z.string() })).describe('The input to continue with.'),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).nullable(),
});

const requestExample = {
  model: 'acme-large',
  instructions: 'You answer in one short sentence.',
  input: 'Why is the sky blue?',
  store: false,
};

/** An answer to the request, written by the encoder of the real answers. */
function exampleAnswer(): { readonly json: unknown; readonly stream: string } {
  const stream = new ResponseStream({
    id: '7Q2mVx',
    created: 1_790_000_000,
    model: 'acme-large-2026-06-01',
    body: requestExample,
    now: () => 1_790_000_001,
    logprobs: false,
  });
  const frames = stream.encode(eventsOf('Air scatters blue light', 25)) + stream.close();
  return { json: stream.shown, stream: frames + stream.done() };
}

const example = exampleAnswer();

const conversation = {
  model: 'acme-large',
  input: [{ type: 'message', role: 'user', content: 'Why is the sky blue?' }],
};

const stored = {
  steps: ['key', 'route'],
  parameters: { id: 'The id of a response that is stored, or that is in progress and will be stored.' },
} as const;

export const responsesEndpoints: readonly PublicEndpoint[] = [
  post('/v1/responses', 'createResponse', 'Continue a conversation, in the responses format.', {
    description:
      'Uses the same key, models and balance as the other surfaces, for every model that lists `openai-response`. If the model’s provider supports this format, items and events pass unchanged; otherwise they are translated. Tools that the provider would run are removed, and `prompt` and `conversation` are rejected. With `background: true` the reply is the response with the status `queued`, and any gateway process generates it: poll `GET /v1/responses/{id}`, or stream its events. It needs a stored response, so `store: false` is rejected. A response with `store: false` was not stored when it was sent, also if the request wanted it: send the whole conversation with the next request.',
    steps: inferenceSteps,
    request: body('ResponsesRequest', responsesRequestSchema, requestExample, {
      temperature: 1,
      top_p: 1,
      parallel_tool_calls: true,
      store: true,
    }),
    answer: {
      kind: 'either',
      description:
        'One JSON response, or with `stream: true` server-sent events with consecutive `sequence_number`s from `response.created` to `response.completed`, and then `data: [DONE]`. If a stream fails, `error` and `response.failed` are its last events. With `stream: true`, an insufficient balance is also reported in the stream.',
      name: 'Response',
      schema: responseSchema,
      example: example.json,
      event: { name: 'ResponseEvent', schema: responseEventSchema },
      stream: example.stream,
    },
  }),
  get('/v1/responses/{id}', 'getResponse', 'Get a response that is stored or in progress.', {
    description:
      'Responses are stored encrypted, for their account only, unless the request has `store: false`. With `?stream=true` the response is sent as events with their original sequence numbers, or with each text in one piece if it was not streamed; `starting_after` skips events up to a number. A response in progress is returned as far as it has come, and its events are streamed live, by the process that generates it. A response in the background is found and streamed by every process, also while it is `queued`. `include[]=reasoning.encrypted_content` adds sealed reasoning.',
    ...stored,
    answer: jsonAnswer('The response.', 'Response', responseSchema, example.json),
  }),
  remove('/v1/responses/{id}', 'deleteResponse', 'Delete a response.', {
    description:
      'Responses that continue it can then no longer be continued. A response in progress cannot be deleted: close its connection, and it is not stored. Cancel one in the background first.',
    ...stored,
    steps: [...stored.steps, 'version'],
    answer: jsonAnswer('The response is deleted.', 'DeletedResponse', deletedSchema, {
      id: 'resp_7Q2mVx',
      object: 'response',
      deleted: true,
    }),
  }),
  get('/v1/responses/{id}/input_items', 'listInputItems', 'List the input items of a response.', {
    description: 'Paginated with `limit` (1 to 100, default 20), `after` and `order` (default `desc`).',
    ...stored,
    answer: jsonAnswer('A page of the items.', 'ItemList', itemListSchema, {
      object: 'list',
      data: [{ id: 'msg_7Q2mVx_i0', type: 'message', role: 'user', content: 'Why is the sky blue?' }],
      first_id: 'msg_7Q2mVx_i0',
      last_id: 'msg_7Q2mVx_i0',
      has_more: false,
    }),
  }),
  post('/v1/responses/{id}/cancel', 'cancelResponse', 'Cancel a background response.', {
    description:
      'The response has the status `cancelled` from then on, with the output so far, which is charged. A response in the background that has ended is returned as it is. Any other response of your account returns 400: close its connection instead.',
    ...stored,
    steps: [...stored.steps, 'body'],
    isUnjoined: true,
    answer: jsonAnswer('The response.', 'Response', responseSchema, example.json),
  }),
  post('/v1/responses/input_tokens', 'countInputTokens', 'Count the tokens of a request.', {
    description:
      'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
    steps: inferenceSteps,
    isUnjoined: true,
    request: body('ResponsesRequest', responsesRequestSchema, conversation),
    answer: jsonAnswer('The count.', 'InputTokens', inputTokensSchema, {
      object: 'response.input_tokens',
      input_tokens: 13,
    }),
  }),
  post('/v1/responses/compact', 'compactConversation', 'Compact a conversation.', {
    description:
      'The model summarises it. The answer is the input to continue with: the user’s messages, and a sealed summary of the rest, which this account can use with the same model.',
    steps: inferenceSteps,
    request: body('ResponsesRequest', responsesRequestSchema, conversation),
    answer: jsonAnswer('The shorter conversation.', 'Compaction', compactionSchema, {
      id: 'resp_7Q2mVx',
      object: 'response.compaction',
      created_at: 1_790_000_000,
      output: [...conversation.input, { id: 'cmp_7Q2mVx_0', type: 'compaction', encrypted_content: 'gw1.…' }],
      usage: { input_tokens: 120, output_tokens: 40 },
    }),
  }),
];
