import { chatRequestSchema } from '../../dialects/chat-completions/request-schema.ts';
import { completionRequestSchema } from '../../dialects/completions/request-schema.ts';
import type { PublicEndpoint } from './endpoint.ts';
import {
  chatRequestExample,
  chatStreamExample,
  completionRequestExample,
  completionStreamExample,
  modelExample,
  modelListExample,
  balanceExample,
} from './examples.ts';
import { messagesEndpoints } from './messages-endpoints.ts';
import { passThroughDocuments } from './pass-through-endpoints.ts';
import { responsesEndpoints } from './responses-endpoints.ts';
import { balanceSchema, chatChunkSchema, completionChunkSchema, modelListSchema, modelSchema } from './schemas.ts';

const sharedDefaults = { temperature: 1, top_p: 1, n: 1, thinking: { type: 'enabled' }, reasoning_effort: 'high' };

/** The public surfaces. A new endpoint is one more entry here; the document and the page follow. */
export const publicEndpoints: readonly PublicEndpoint[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'createChatCompletion',
    summary: 'Let a model go on with a conversation.',
    description:
      'The answer is always a stream, whatever `stream` says. Optional fields may also be `null`, which means the same as leaving them out. Fields not listed here are forwarded to the provider untouched.',
    steps: ['key', 'body', 'model', 'inference'],
    request: {
      name: 'ChatCompletionRequest',
      schema: chatRequestSchema,
      defaults: { ...sharedDefaults, response_format: { type: 'text' } },
      example: chatRequestExample,
    },
    answer: {
      kind: 'stream',
      description:
        'Server-sent events: lines `data: <chunk>` and, at the end, `data: [DONE]`. The first chunk of a choice has the role, then come pieces of text, reasoning and tool calls, then a chunk with the `finish_reason` and an empty `delta`. The last chunk has empty `choices` and the usage. Lines that begin with a colon are comments that keep the connection open. If the answer breaks off, one event carries the error envelope and there is no `[DONE]`.',
      name: 'ChatCompletionChunk',
      schema: chatChunkSchema,
      example: chatStreamExample,
    },
  },
  {
    method: 'post',
    path: '/v1/completions',
    operationId: 'createCompletion',
    summary: 'Let a model go on with a text.',
    description:
      'The older form of the chat endpoint, and like it always a stream. With `suffix` the model fills in the middle, where the provider can. A model whose provider has no such endpoint answers the prompt as one user message.',
    steps: ['key', 'body', 'model', 'inference'],
    request: {
      name: 'CompletionRequest',
      schema: completionRequestSchema,
      defaults: sharedDefaults,
      example: completionRequestExample,
    },
    answer: {
      kind: 'stream',
      description:
        'Server-sent events in the order of the chat endpoint. Chunks are `text_completion` objects with `choices[].text` instead of a `delta`; then come the usage chunk and `data: [DONE]`.',
      name: 'CompletionChunk',
      schema: completionChunkSchema,
      example: completionStreamExample,
    },
  },
  {
    method: 'get',
    path: '/v1/models',
    operationId: 'listModels',
    summary: 'List the models this key can use.',
    description:
      'The list depends on the domain of the request, on the package of the account and on the limits of the key. It changes when the operator changes the catalog: ask again when `x-gateway-version` changes instead of keeping the list for long.',
    steps: ['key'],
    answer: {
      kind: 'json',
      description: 'The catalog as this key sees it.',
      name: 'ModelList',
      schema: modelListSchema,
      example: modelListExample,
    },
  },
  {
    method: 'get',
    path: '/v1/models/{model}',
    operationId: 'getModel',
    summary: 'One model of the list.',
    description: 'An alias finds the model it stands for. Slashes in an id may stand as they are or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: {
      kind: 'json',
      description: 'The model, as the list has it.',
      name: 'Model',
      schema: modelSchema,
      example: modelExample,
    },
  },
  ...passThroughDocuments,
  {
    method: 'get',
    path: '/v1/user/balance',
    operationId: 'getBalance',
    summary: 'What the account has left.',
    description: 'Charges of every answer whose end a client has seen are in it. What was granted is spent first.',
    steps: ['key'],
    answer: {
      kind: 'json',
      description: 'The balance of the account that owns the key; amounts are decimal texts.',
      name: 'Balance',
      schema: balanceSchema,
      example: balanceExample,
    },
  },
  ...responsesEndpoints,
  ...messagesEndpoints,
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getLiveness',
    summary: 'Whether the process lives.',
    description: 'For orchestrators. It needs no key and always answers while the process can answer at all.',
    steps: [],
    answer: { kind: 'other', description: 'It lives.', contentType: 'application/json', type: 'object' },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Whether the process wants more requests.',
    description:
      'For load balancers. It needs no key. `checks` has `ok` or what is wrong for each of `serving`, `store`, `event_loop` and `memory`.',
    steps: ['readiness'],
    answer: {
      kind: 'other',
      description: 'It is ready.',
      contentType: 'application/json',
      type: 'object',
    },
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApiDocument',
    summary: 'This description, for machines.',
    description: 'Needs no key.',
    steps: [],
    answer: {
      kind: 'other',
      description: 'An OpenAPI 3.1 document.',
      contentType: 'application/json',
      type: 'object',
    },
  },
  {
    method: 'get',
    path: '/docs',
    operationId: 'getDocumentation',
    summary: 'This description, for people.',
    description: 'Needs no key, and loads nothing from elsewhere.',
    steps: [],
    answer: { kind: 'other', description: 'A page.', contentType: 'text/html', type: 'string' },
  },
];
