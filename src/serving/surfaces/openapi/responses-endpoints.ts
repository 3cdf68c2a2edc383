import { responsesRequestSchema } from 'chat-formats/responses/request/request-schema.ts';
import { body, get, inferenceSteps, otherAnswer, post, type PublicEndpoint, remove } from './endpoint.ts';
import { chargedAnswer } from './schemas.ts';

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
    request: body('ResponsesRequest', responsesRequestSchema, conversation, {
      temperature: 1,
      top_p: 1,
      parallel_tool_calls: true,
      store: true,
    }),
    answer: {
      ...otherAnswer(
        'One JSON response in OpenAI’s format of responses, or with `stream: true` server-sent events with consecutive `sequence_number`s from `response.created` to `response.completed`, and then `data: [DONE]`. While a response in the background waits, `response.queued` comes before `response.in_progress`. If a stream fails, `error` and `response.failed` are its last events. With `stream: true`, an insufficient balance is also reported in the stream.',
        'application/json',
        'text/event-stream',
      ),
      schema: chargedAnswer,
    },
  }),
  get('/v1/responses/{id}', 'getResponse', 'Get a response that is stored or in progress.', {
    description:
      'Responses are stored encrypted, for their account only, unless the request has `store: false`. With `?stream=true` the response is sent as events with their original sequence numbers, or with each text in one piece if it was not streamed; `starting_after` skips events up to a number. A response in progress is returned as far as it has come, and its events are streamed live, by the process that generates it. A response in the background is found and streamed by every process, also while it is `queued`. `include[]=reasoning.encrypted_content` adds sealed reasoning.',
    ...stored,
    answer: { ...otherAnswer('The response.'), schema: chargedAnswer },
  }),
  remove('/v1/responses/{id}', 'deleteResponse', 'Delete a response.', {
    description:
      'Responses that continue it can then no longer be continued. A response in progress cannot be deleted: close its connection, and it is not stored. Cancel one in the background first.',
    ...stored,
    steps: [...stored.steps, 'version'],
    answer: otherAnswer('The response is deleted: its `id` and `deleted`.'),
  }),
  get('/v1/responses/{id}/input_items', 'listInputItems', 'List the input items of a response.', {
    description: 'Paginated with `limit` (1 to 100, default 20), `after` and `order` (default `desc`).',
    ...stored,
    answer: otherAnswer('A page of the items, in OpenAI’s format. Send `last_id` as `after` to get the next page.'),
  }),
  post('/v1/responses/{id}/cancel', 'cancelResponse', 'Cancel a background response.', {
    description:
      'The response has the status `cancelled` from then on, with the output so far, which is charged. A response in the background that has ended is returned as it is. Any other response of your account returns 400: close its connection instead.',
    ...stored,
    steps: [...stored.steps, 'body'],
    isUnjoined: true,
    answer: { ...otherAnswer('The response.'), schema: chargedAnswer },
  }),
  post('/v1/responses/input_tokens', 'countInputTokens', 'Count the tokens of a request.', {
    description:
      'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
    steps: inferenceSteps,
    isUnjoined: true,
    request: body('ResponsesRequest', responsesRequestSchema, conversation),
    answer: otherAnswer('The count, as `input_tokens`.'),
  }),
  post('/v1/responses/compact', 'compactConversation', 'Compact a conversation.', {
    description:
      'The model summarises it. The answer is the input to continue with: the user’s messages, and a sealed summary of the rest, which this account can use with the same model.',
    steps: inferenceSteps,
    request: body('ResponsesRequest', responsesRequestSchema, conversation),
    answer: otherAnswer('The shorter conversation as `output`, in OpenAI’s format of compactions, and its `usage`.'),
  }),
];
