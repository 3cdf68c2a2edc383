import { countTokensSchema, messagesRequestSchema } from '../../dialects/messages/request-schema.ts';
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
    summary: 'Let a model go on with a conversation, in the messages format.',
    description:
      'Takes the same key, models and balance as the chat-completions surface. Where the model’s provider speaks this format, the request goes up and the answer comes down as they are; otherwise both are translated, and what cannot be is refused with a 400 that names it. Any `anthropic-version` and `anthropic-beta` is accepted.',
    steps: ['key', 'body', 'model', 'inference'],
    request: { name: 'MessagesRequest', schema: messagesRequestSchema, defaults: {}, example: messagesRequestExample },
    answer: {
      kind: 'either',
      description:
        'One JSON message, or with `stream: true` server-sent events from `message_start` to `message_stop`. If a stream breaks off, an `error` event is its last.',
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
    description: 'By the provider where it can count, else by a tokenizer of our own, which is an estimate. Free.',
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
    description: 'With `limit`, `after_id` and `before_id` in pages.',
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
    summary: 'One model of this surface.',
    description: 'An alias finds the model it stands for. Slashes in an id may stand as they are or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: {
      kind: 'json',
      description: 'The model, as the list has it.',
      name: 'MessagesModel',
      schema: messagesModelSchema,
      example: messagesModelExample,
    },
  },
];
