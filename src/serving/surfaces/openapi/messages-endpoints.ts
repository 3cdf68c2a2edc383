import { encodeMessageBody } from 'chat-formats/messages/answer/encode-body.ts';
import { MessagesStreamEncoder } from 'chat-formats/messages/answer/encode-stream.ts';
import { countTokensSchema, messagesRequestSchema } from 'chat-formats/messages/request/request-schema.ts';
import { body, get, inferenceSteps, jsonAnswer, post, type PublicEndpoint } from './endpoint.ts';
import { eventsOf, streamed } from './examples.ts';
import {
  messageEventSchema,
  messageSchema,
  messagesModelListSchema,
  messagesModelSchema,
  tokenCountSchema,
} from './messages-schemas.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

const requestExample = {
  model: 'acme-large',
  max_tokens: 200,
  system: 'You answer in one short sentence.',
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
};

const events = eventsOf('Air scatters blue light', 25);
const encoding = { id: 'msg_7Q2mVx', model: 'acme-large-2026-06-01', promptTokens: 25 };

const modelExample = {
  type: 'model',
  id: 'acme-large-2026-06-01',
  display_name: 'acme-large-2026-06-01',
  created_at: '2021-07-20T10:40:00Z',
  max_input_tokens: 200_000,
  max_tokens: 16_384,
  capabilities: null,
  lifecycle: 'active',
  line: null,
  deprecated_at: null,
  retires_at: null,
};

const modelsExample = {
  data: [modelExample],
  has_more: false,
  first_id: 'acme-large-2026-06-01',
  last_id: 'acme-large-2026-06-01',
};

export const messagesEndpoints: readonly PublicEndpoint[] = [
  post('{messages_prefix}/v1/messages', 'createMessage', 'Continue a conversation, in the messages format.', {
    surface: 'messages',
    description:
      'Uses the same key, models and balance as the chat-completions surface. If the model’s provider supports this format, request and answer pass unchanged. Otherwise both are translated, and a field that cannot be translated is rejected with a 400 that names it. Any `anthropic-version` and `anthropic-beta` is accepted.',
    steps: inferenceSteps,
    request: body('MessagesRequest', messagesRequestSchema, requestExample),
    answer: {
      kind: 'either',
      description:
        'One JSON message, or with `stream: true` server-sent events from `message_start` to `message_stop`. If a stream fails, its last event is `error`.',
      name: 'Message',
      schema: messageSchema,
      example: ownJson(encodeMessageBody(events, encoding)),
      event: { name: 'MessageEvent', schema: messageEventSchema },
      stream: streamed(new MessagesStreamEncoder(encoding), events),
    },
  }),
  post('{messages_prefix}/v1/messages/count_tokens', 'countMessageTokens', 'Count the tokens of a prompt.', {
    surface: 'messages',
    description:
      'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
    steps: inferenceSteps,
    request: body('CountTokensRequest', countTokensSchema, {
      model: requestExample.model,
      messages: requestExample.messages,
    }),
    answer: jsonAnswer('The count.', 'TokenCount', tokenCountSchema, { input_tokens: 14 }),
  }),
  get('{messages_prefix}/v1/models', 'listMessagesModels', 'List the models this key can use on this surface.', {
    surface: 'messages',
    description: 'Paginated with `limit`, `after_id` and `before_id`.',
    steps: ['key'],
    answer: jsonAnswer(
      'The catalog as this key sees it here.',
      'MessagesModelList',
      messagesModelListSchema,
      modelsExample,
    ),
  }),
  get('{messages_prefix}/v1/models/{model}', 'getMessagesModel', 'Get one model of this surface.', {
    surface: 'messages',
    description: 'An alias returns its model. Slashes in an id may be literal or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: jsonAnswer('The model, as in the list.', 'MessagesModel', messagesModelSchema, modelExample),
  }),
];
