import { decodeChatRequest } from 'chat-formats/chat-completions/request/decode-request.ts';
import { encodeChatRequest } from 'chat-formats/chat-completions/request/encode-request.ts';
import { defaultQuirks } from 'chat-formats/chat-completions/quirks.ts';
import type { Micro } from './measure.ts';

const text = JSON.stringify({
  model: 'one-write',
  messages: [
    { role: 'system', content: 'You are a helpful assistant. Answer briefly and name your sources.' },
    { role: 'user', content: 'Why does the sea look blue on some days and grey on others?' },
  ],
  temperature: 0.7,
  max_tokens: 512,
  stream: true,
  stream_options: { include_usage: true },
});
const encoding = { model: 'large', thinkingCapable: false, quirks: defaultQuirks };

/** A conversation, from its JSON to the JSON for a provider of the same format. */
export const requestMicros: readonly Micro[] = [
  {
    name: 'validate a request and encode it again',
    floorName: 'parse it, change one field, stringify it',
    work: () => {
      const request = decodeChatRequest(JSON.parse(text), text.length);
      return encodeChatRequest(request, { ...encoding, maxTokens: request.maxTokens });
    },
    floor: () => JSON.stringify({ ...(JSON.parse(text) as object), model: 'large' }),
  },
];
