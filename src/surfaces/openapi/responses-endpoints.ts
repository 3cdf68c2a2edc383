import type { StreamEvent } from '../../core/chat/stream-event.ts';
import { unreportedUsage } from '../../core/chat/usage.ts';
import { ResponseStream } from '../../dialects/responses/answer/encode-stream.ts';
import { responsesRequestSchema } from '../../dialects/responses/request/request-schema.ts';
import type { PublicEndpoint } from './endpoint.ts';
import { storedResponsesEndpoints } from './stored-responses-endpoints.ts';
import { responseEventSchema, responseSchema } from './responses-schemas.ts';

const requestExample = {
  model: 'acme-large',
  instructions: 'You answer in one short sentence.',
  input: 'Why is the sky blue?',
  store: false,
};

const events: readonly StreamEvent[] = [
  { type: 'text-delta', choice: 0, text: 'Air scatters blue light' },
  { type: 'text-delta', choice: 0, text: ' more than red.' },
  { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
  { type: 'usage', usage: { ...unreportedUsage, promptTokens: 25, completionTokens: 9, source: 'upstream' } },
];

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
  const frames = stream.encode(events) + stream.close();
  return { json: stream.shown, stream: frames + stream.done() };
}

const example = exampleAnswer();

/** The endpoints of the responses surface. */
export const responsesEndpoints: readonly PublicEndpoint[] = [
  {
    method: 'post',
    path: '/v1/responses',
    operationId: 'createResponse',
    summary: 'Continue a conversation, in the responses format.',
    description:
      'Uses the same key, models and balance as the other surfaces, for every model that lists `openai-response`. If the model’s provider supports this format, items and events pass unchanged; otherwise they are translated. Tools that the provider would run are removed, and `prompt`, `conversation` and `background: true` are rejected.',
    steps: ['key', 'body', 'model', 'inference'],
    request: {
      name: 'ResponsesRequest',
      schema: responsesRequestSchema,
      defaults: { temperature: 1, top_p: 1, parallel_tool_calls: true, store: true },
      example: requestExample,
    },
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
  },
  ...storedResponsesEndpoints(example.json),
];
