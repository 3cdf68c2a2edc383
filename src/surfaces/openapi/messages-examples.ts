import type { StreamEvent } from '../../core/chat/stream-event.ts';
import { unreportedUsage } from '../../core/chat/usage.ts';
import { MessagesStreamEncoder } from '../../dialects/messages/answer/encode-stream.ts';
import { encodeMessageBody } from '../../dialects/messages/answer/encode-body.ts';

export const messagesRequestExample = {
  model: 'acme-large',
  max_tokens: 200,
  system: 'You answer in one short sentence.',
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
};

const events: readonly StreamEvent[] = [
  { type: 'text-delta', choice: 0, text: 'Air scatters blue light' },
  { type: 'text-delta', choice: 0, text: ' more than red.' },
  { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
  { type: 'usage', usage: { ...unreportedUsage, promptTokens: 25, completionTokens: 9, source: 'upstream' } },
];

const encoding = { id: 'msg_7Q2mVx', model: 'acme-large-2026-06-01', promptTokens: 25 };

/** An answer to the request, written by the encoders of the real answers. */
export const messageExample: unknown = JSON.parse(encodeMessageBody(events, encoding));

export const messageStreamExample = streamed();

function streamed(): string {
  const encoder = new MessagesStreamEncoder(encoding);
  return encoder.encode(events) + encoder.done();
}

export const messagesModelExample = {
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

export const messagesModelsExample = {
  data: [messagesModelExample],
  has_more: false,
  first_id: 'acme-large-2026-06-01',
  last_id: 'acme-large-2026-06-01',
};
