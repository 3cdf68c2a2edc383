import { countTokensSchema, messagesRequestSchema } from 'chat-formats/messages/request/request-schema.ts';
import { answer, body, get, inferenceSteps, otherAnswer, post, type PublicEndpoint } from './endpoint.ts';
import { chargedAnswer, messagesModelSchema } from './schemas.ts';

const prompt = { model: 'acme-large', messages: [{ role: 'user', content: 'Why is the sky blue?' }] };

export const messagesEndpoints: readonly PublicEndpoint[] = [
  post('{messages_prefix}/v1/messages', 'createMessage', 'Continue a conversation, in the messages format.', {
    surface: 'messages',
    description:
      'Uses the same key, models and balance as the chat-completions surface. If the model’s provider supports this format, request and answer pass unchanged. Otherwise both are translated, and a field that cannot be translated is rejected with a 400 that names it. Any `anthropic-version` and `anthropic-beta` is accepted.',
    steps: inferenceSteps,
    request: body('MessagesRequest', messagesRequestSchema, { ...prompt, max_tokens: 200 }),
    answer: {
      ...otherAnswer(
        'One JSON message in Anthropic’s format of messages, or with `stream: true` server-sent events from `message_start` to `message_stop`. If a stream fails, its last event is `error`.',
        'application/json',
        'text/event-stream',
      ),
      schema: chargedAnswer,
    },
  }),
  post('{messages_prefix}/v1/messages/count_tokens', 'countMessageTokens', 'Count the tokens of a prompt.', {
    surface: 'messages',
    description:
      'Counted by the provider if it can, otherwise estimated with the tokenizer of the gateway. Free of charge.',
    steps: inferenceSteps,
    request: body('CountTokensRequest', countTokensSchema, prompt),
    answer: otherAnswer('The count, as `input_tokens`.'),
  }),
  get('{messages_prefix}/v1/models', 'listMessagesModels', 'List the models this key can use on this surface.', {
    surface: 'messages',
    description: 'Paginated with `limit`, `after_id` and `before_id`.',
    steps: ['key'],
    answer: otherAnswer('A page of the catalog as this key sees it here, in Anthropic’s format of models.'),
  }),
  get('{messages_prefix}/v1/models/{model}', 'getMessagesModel', 'Get one model of this surface.', {
    surface: 'messages',
    description: 'An alias returns its model. Slashes in an id may be literal or percent-encoded.',
    steps: ['key', 'model'],
    parameters: { model: 'The id of a model, or one of its aliases.' },
    answer: answer('The model, as in the list.', 'MessagesModel', messagesModelSchema),
  }),
];
