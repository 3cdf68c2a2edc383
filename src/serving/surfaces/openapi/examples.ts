import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { chatStreamEncoder } from 'chat-formats/chat-completions/answer/encode-stream.ts';
import type { StreamEncoder } from 'chat-formats/chat-completions/answer/stream-encoder.ts';
import { completionStreamEncoder } from 'chat-formats/completions/encode-stream.ts';

export const chatRequestExample = {
  model: 'acme-large',
  messages: [
    { role: 'system', content: 'You answer in one short sentence.' },
    { role: 'user', content: 'Why is the sky blue?' },
  ],
  temperature: 0.7,
  max_tokens: 200,
  stream: true,
};

export const completionRequestExample = {
  model: 'acme-large',
  prompt: 'The sky is blue because',
  max_tokens: 32,
  stream: true,
};

const about = { created: 1781000000, model: 'acme-large-2026-06-01', logprobs: false, usageSource: 'acme' };

/** Written by the encoders of the real answers, as all example answers are. */
export const chatStreamExample = streamed(
  chatStreamEncoder({ ...about, id: 'chatcmpl-7Q2mVx' }),
  eventsOf('Air scatters blue light', 25),
);

export const completionStreamExample = streamed(
  completionStreamEncoder({ ...about, id: 'cmpl-7Q2mVx' }),
  eventsOf(' air scatters blue light', 6),
);

export const modelExample = {
  id: 'acme-large-2026-06-01',
  object: 'model',
  created: 1626777600,
  owned_by: 'acme',
  supported_endpoint_types: ['openai'],
};

export const modelListExample = { object: 'list', data: [modelExample], success: true };

export function eventsOf(beginning: string, promptTokens: number): readonly StreamEvent[] {
  return [
    { type: 'text-delta', choice: 0, text: beginning },
    { type: 'text-delta', choice: 0, text: ' more than red.' },
    { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    { type: 'usage', usage: { ...unreportedUsage, promptTokens, completionTokens: 9, source: 'upstream' } },
  ];
}

export function streamed(encoder: Pick<StreamEncoder, 'encode' | 'done'>, events: readonly StreamEvent[]): string {
  return encoder.encode(events) + encoder.done();
}

export const balanceExample = {
  is_available: true,
  balance_infos: [{ currency: 'USD', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' }],
};
