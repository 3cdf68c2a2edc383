import { chatRequestSchema } from 'chat-formats/chat-completions/request/request-schema.ts';
import { completionRequestSchema } from 'chat-formats/chat-completions/request/decode-completion-request.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import { batchEndpoints, messageBatchEndpoints } from './batch-endpoints.ts';
import { answer, body, get, inferenceSteps, otherAnswer, post, type PublicEndpoint } from './endpoint.ts';
import { messagesEndpoints } from './messages-endpoints.ts';
import { passThroughDocuments } from './pass-through-endpoints.ts';
import { responsesEndpoints } from './responses-endpoints.ts';
import { balanceSchema, chatChunkSchema, completionChunkSchema, modelListSchema, modelSchema } from './schemas.ts';

const sharedDefaults = { temperature: 1, top_p: 1, n: 1, thinking: { type: 'enabled' }, reasoning_effort: 'high' };

const modelExample = {
  id: 'acme-large-2026-06-01',
  object: 'model',
  created: 1626777600,
  owned_by: 'acme',
  supported_endpoint_types: ['openai'],
};

/** The public endpoints. `/openapi.json` and `docs/api.md` are generated from them. */
export const publicEndpoints: readonly PublicEndpoint[] = [
  post('/v1/chat/completions', 'createChatCompletion', 'Continue a conversation.', {
    description:
      'The answer is always a stream, regardless of `stream`. Optional fields may also be `null`, which means the same as omitting them. Fields not listed here are forwarded to the provider unchanged.',
    steps: inferenceSteps,
    request: body(
      'ChatCompletionRequest',
      chatRequestSchema,
      { model: 'acme-large', messages: [{ role: 'user', content: 'Why is the sky blue?' }], stream: true },
      { ...sharedDefaults, response_format: { type: 'text' } },
    ),
    answer: {
      ...otherAnswer(
        'Server-sent events in OpenAI’s format of chat completions: lines `data: <chunk>` and, at the end, `data: [DONE]`. The first chunk of a choice has the role, then come pieces of text, reasoning and tool calls, then a chunk with the `finish_reason` and an empty `delta`. The last chunk has empty `choices` and the usage. Lines that begin with a colon are comments that keep the connection open. If the answer breaks off, one event carries the error envelope and there is no `[DONE]`.',
        'text/event-stream',
      ),
      schema: { name: 'ChatCompletionChunk', schema: chatChunkSchema },
      example: streamExample(),
    },
  }),
  post('/v1/completions', 'createCompletion', 'Continue a text.', {
    description:
      'The older form of the chat endpoint, and also always a stream. With `suffix` the model fills in the middle, if the provider supports it. If the provider has no such endpoint, the prompt is sent as one user message.',
    steps: inferenceSteps,
    request: body(
      'CompletionRequest',
      completionRequestSchema,
      { model: 'acme-large', prompt: 'The sky is blue because', max_tokens: 32 },
      sharedDefaults,
    ),
    answer: {
      ...otherAnswer(
        'Server-sent events in the order of the chat endpoint. Chunks are `text_completion` objects of OpenAI’s format of completions, with `choices[].text` instead of a `delta`; then come the usage chunk and `data: [DONE]`.',
        'text/event-stream',
      ),
      schema: { name: 'CompletionChunk', schema: completionChunkSchema },
    },
  }),
  get('/v1/models', 'listModels', 'List the models this key can use.', {
    description:
      'The list depends on the domain of the request, on the package of the account and on the limits of the key. It changes when the operator changes the catalog: request it again when `x-gateway-version` changes instead of caching it for long.',
    steps: ['key'],
    answer: answer('The catalog as this key sees it.', 'ModelList', modelListSchema, {
      object: 'list',
      data: [modelExample],
      success: true,
    }),
  }),
  get('/v1/models/{model}', 'getModel', 'Get one model.', {
    description: 'An alias returns its model. Slashes in an id may be literal or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: answer('The model, as in the list.', 'Model', modelSchema, modelExample),
  }),
  ...passThroughDocuments,
  get('/v1/user/balance', 'getBalance', 'Get the balance of the account.', {
    description:
      'It includes the charges of every answer whose end a client has received. Granted credit is spent first.',
    steps: ['key'],
    answer: answer(
      'The balance of the account that owns the key. Amounts are decimal strings.',
      'Balance',
      balanceSchema,
      {
        is_available: true,
        balance_infos: [
          { currency: 'USD', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' },
        ],
      },
    ),
  }),
  ...responsesEndpoints,
  ...batchEndpoints,
  ...messagesEndpoints,
  ...messageBatchEndpoints,
  get('/healthz', 'getLiveness', 'Check that the process is running.', {
    description: 'For orchestrators. It needs no key and succeeds while the process can respond.',
    steps: [],
    answer: otherAnswer('The process is running.'),
  }),
  get('/readyz', 'getReadiness', 'Check whether the process accepts requests.', {
    description:
      'For load balancers. It needs no key. `checks` has `ok` or the problem for each of `serving`, `store`, `event_loop` and `memory`.',
    steps: ['readiness'],
    answer: otherAnswer('The process is ready.'),
  }),
  get('/openapi.json', 'getOpenApiDocument', 'Get this description as OpenAPI.', {
    description: 'Needs no key.',
    steps: [],
    answer: otherAnswer('An OpenAPI 3.1 document.'),
  }),
];

/** Written by the encoder of the real answers. */
function streamExample(): string {
  const encoder = chatStreamEncoder({
    id: 'chatcmpl-7Q2mVx',
    created: 1781000000,
    model: modelExample.id,
    logprobs: false,
    usageSource: 'acme',
  });
  const usage = { ...unreportedUsage, promptTokens: 25, completionTokens: 9, source: 'upstream' } as const;
  const pieces = encoder.encode([
    { type: 'text-delta', choice: 0, text: 'Air scatters blue light more than red.' },
    { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    { type: 'usage', usage },
  ]);
  return pieces + encoder.done();
}
