import { countTokensSchema, messagesRequestSchema } from '../../dialects/messages/request/request-schema.ts';
import type { PublicEndpoint } from './endpoint.ts';
import {
  messageExample,
  messagesRequestExample,
  messageStreamExample,
  messagesModelExample,
  messagesModelsExample,
} from './messages-examples.ts';
import {
  messageEventSchema,
  messageSchema,
  messagesModelListSchema,
  messagesModelSchema,
  tokenCountSchema,
} from './messages-schemas.ts';

/** The endpoints of the messages surface. */
export const messagesEndpoints: readonly PublicEndpoint[] = [
  {
    method: 'post',
    path: '{messages_prefix}/v1/messages',
    operationId: 'createMessage',
    surface: 'messages',
    summary: 'Continue a conversation, in the messages format.',
    description:
      'Uses the same key, models and balance as the chat-completions surface. If the model’s provider supports this format, request and answer pass unchanged. Otherwise both are translated, and a field that cannot be translated is rejected with a 400 that names it. Any `anthropic-version` and `anthropic-beta` is accepted.',
    steps: ['key', 'body', 'model', 'inference'],
    request: { name: 'MessagesRequest', schema: messagesRequestSchema, defaults: {}, example: messagesRequestExample },
    answer: {
      kind: 'either',
      description:
        'One JSON message, or with `stream: true` server-sent events from `message_start` to `message_stop`. If a stream fails, its last event is `error`.',
      name: 'Message',
      schema: messageSchema,
      example: messageExample,
      event: { name: 'MessageEvent', schema: messageEventSchema },
      stream: messageStreamExample,
    },
  },
  {
    method: 'post',
    path: '{messages_prefix}/v1/messages/count_tokens',
    operationId: 'countMessageTokens',
    surface: 'messages',
    summary: 'Count the tokens of a prompt.',
    description:
      'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
    steps: ['key', 'body', 'model', 'inference'],
    request: {
      name: 'CountTokensRequest',
      schema: countTokensSchema,
      defaults: {},
      example: { model: messagesRequestExample.model, messages: messagesRequestExample.messages },
    },
    answer: {
      kind: 'json',
      description: 'The count.',
      name: 'TokenCount',
      schema: tokenCountSchema,
      example: { input_tokens: 14 },
    },
  },
  {
    method: 'get',
    path: '{messages_prefix}/v1/models',
    operationId: 'listMessagesModels',
    surface: 'messages',
    summary: 'List the models this key can use on this surface.',
    description: 'Paginated with `limit`, `after_id` and `before_id`.',
    steps: ['key'],
    answer: {
      kind: 'json',
      description: 'The catalog as this key sees it here.',
      name: 'MessagesModelList',
      schema: messagesModelListSchema,
      example: messagesModelsExample,
    },
  },
  {
    method: 'get',
    path: '{messages_prefix}/v1/models/{model}',
    operationId: 'getMessagesModel',
    surface: 'messages',
    summary: 'Get one model of this surface.',
    description: 'An alias returns its model. Slashes in an id may be literal or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: {
      kind: 'json',
      description: 'The model, as in the list.',
      name: 'MessagesModel',
      schema: messagesModelSchema,
      example: messagesModelExample,
    },
  },
];
