import type { StreamEvent } from '../../core/chat/stream-event.ts';
import { chatStreamEncoder } from '../../dialects/chat-completions/answer/encode-stream.ts';
import type { StreamEncoder } from '../../dialects/chat-completions/answer/stream-encoder.ts';
import { completionStreamEncoder } from '../../dialects/completions/encode-stream.ts';

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

const nothingElse = {
  cachedTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  promptAudioTokens: 0,
  promptImageTokens: 0,
  completionAudioTokens: 0,
  source: 'upstream',
} as const;

const about = { created: 1781000000, model: 'acme-large-2026-06-01', logprobs: false, usageSource: 'acme' };

/** An answer to `chatRequestExample`, written by the encoder of the real answers. */
export const chatStreamExample = stream(
  chatStreamEncoder({ ...about, id: 'chatcmpl-7Q2mVx' }),
  ['Air scatters blue light', ' more than red.'],
  25,
);

export const completionStreamExample = stream(
  completionStreamEncoder({ ...about, id: 'cmpl-7Q2mVx' }),
  [' air scatters blue light', ' more than red.'],
  6,
);

export const modelExample = {
  id: 'acme-large-2026-06-01',
  object: 'model',
  created: 1626777600,
  owned_by: 'acme',
  supported_endpoint_types: ['openai'],
};

export const modelListExample = { object: 'list', data: [modelExample], success: true };

function stream(encoder: StreamEncoder, texts: readonly string[], promptTokens: number): string {
  const events: readonly StreamEvent[] = [
    ...texts.map((text): StreamEvent => ({ type: 'text-delta', choice: 0, text })),
    { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
    { type: 'usage', usage: { ...nothingElse, promptTokens, completionTokens: 9 } },
  ];
  return encoder.encode(events) + encoder.done();
}

export const balanceExample = {
  is_available: true,
  balance_infos: [{ currency: 'USD', total_balance: '110.00', granted_balance: '10.00', topped_up_balance: '100.00' }],
};
