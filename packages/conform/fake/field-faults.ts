import { changing, type FaultRow, rejecting, toChat } from './change.ts';
import { list, messagesOf, of } from './rules.ts';

type Json = Readonly<Record<string, unknown>>;

const rejected = (check: string, wrong: string, when: (json: Json) => boolean): FaultRow => [
  check,
  `${wrong} is rejected`,
  rejecting(when),
];
const accepted = (check: string, wrong: string, ...without: readonly string[]): FaultRow => [
  check,
  `${wrong} is accepted`,
  { without },
];
const hasMessage = (when: (message: Json) => boolean) => (json: Json) => messagesOf(json).some(when);

export const fieldFaults: readonly FaultRow[] = [
  rejected('fields/null', 'null', (json) => json.temperature === null),
  rejected('fields/frequency-penalty', 'a penalty as text', (json) => json.frequency_penalty === 'high'),
  rejected('fields/presence-penalty', 'a penalty above 2', (json) => json.presence_penalty === -9),
  rejected(
    'fields/stream-options',
    'stream_options without stream',
    (json) => json.stream !== true && json.stream_options !== undefined,
  ),
  rejected('fields/sampling', 'temperature with top_p', (json) => json.temperature === 1 && json.top_p === 1),
  rejected('fields/text-format', 'the text format', (json) => of(json.response_format).type === 'text'),
  rejected('fields/stop', 'a single stop sequence', (json) => json.stop === 'zzz'),
  rejected('fields/thinking', 'thinking', (json) => json.thinking !== undefined),
  rejected('fields/effort', 'the effort xhigh', (json) => json.reasoning_effort === 'xhigh'),
  rejected('fields/tool', 'strict', (json) => JSON.stringify(json).includes('"strict":true')),
  rejected('fields/user-id', 'a user id', (json) => json.user_id === 'Customer_42-a'),
  rejected('fields/unlisted', 'an unlisted field', (json) => json.conform_unlisted_field !== undefined),
  rejected('limits/temperature-range', 'temperature 2', (json) => json.temperature === 2),
  accepted('limits/temperature', 'temperature 2.01', 'temperature'),
  rejected('limits/top-p-range', 'top_p 0', (json) => json.top_p === 0),
  accepted('limits/top-p', 'top_p 1.01', 'top_p'),
  rejected('limits/stop-16', 'a sixteenth stop', (json) => list(json.stop).length === 16),
  accepted('limits/stop', 'a seventeenth stop', 'stop length'),
  accepted('limits/stop', 'a stop that is a number', 'stop'),
  rejected('limits/tools-128', 'a 128th tool', (json) => list(json.tools).length === 128),
  accepted('limits/tools', 'a 129th tool', 'tools length'),
  accepted('limits/tool-type', 'a tool of another type', 'tool type', 'tool name'),
  rejected('limits/tool-name-64', 'a long name', (json) => JSON.stringify(json.tools ?? 0).includes('Az_0-9')),
  accepted('limits/tool-name', 'any name', 'tool name'),
  accepted('limits/tool-choice', 'any choice', 'tool_choice'),
  rejected('limits/user-id-512', 'a user id of 512', (json) => json.user_id === 'u'.repeat(512)),
  accepted('limits/user-id-513', 'a user id of 513', 'user_id length'),
  accepted('limits/user-id', 'any user id', 'user_id'),
  accepted('limits/top-logprobs', 'top_logprobs 21', 'top_logprobs'),
  accepted('limits/top-logprobs-alone', 'top_logprobs alone', 'top_logprobs alone'),
  rejected('limits/top-logprobs-range', 'top_logprobs 20', (json) => json.top_logprobs === 20),
  accepted('limits/logprobs', 'logprobs as text', 'logprobs'),
  accepted('limits/max-tokens', 'max_tokens of -1', 'max_tokens'),
  accepted('limits/format', 'any format', 'response_format'),
  accepted('limits/stream', 'stream as text', 'stream'),
  accepted('limits/thinking', 'any thinking', 'thinking'),
  accepted('limits/effort', 'any effort', 'reasoning_effort'),
  [
    'limits/model',
    'a missing model gives 500',
    changing(
      (request) => toChat(request) && request.json.model === undefined,
      (reply) => void (reply.status = 500),
    ),
  ],
  [
    'limits/object',
    'a list is accepted',
    changing(
      ({ body }) => body === '[]',
      (reply) => void (reply.status = 200),
    ),
  ],
  [
    'limits/named',
    'the error does not name the field',
    changing(
      ({ json }) => json.temperature === 2.01,
      (reply) => void (reply.body = reply.body.replace('temperature', 'it')),
    ),
  ],
  rejected(
    'message-shapes/system',
    'a system message',
    hasMessage(({ role }) => role === 'system'),
  ),
  rejected(
    'message-shapes/assistant',
    'replayed output',
    hasMessage(({ content }) => content === 'Hello!'),
  ),
  rejected(
    'message-shapes/tool',
    'null content',
    hasMessage(({ content }) => content === null),
  ),
  rejected(
    'message-shapes/name',
    'a name',
    hasMessage(({ name }) => name === 'clock'),
  ),
  accepted('message-shapes/at-least-one', 'an empty conversation', 'messages'),
  accepted('message-shapes/element', 'null for a message', 'element', 'role', 'content', 'tool_call_id', 'name'),
  accepted('message-shapes/role', 'any role', 'role'),
  accepted('message-shapes/content', 'missing content', 'content'),
  accepted('message-shapes/tool-call-id', 'a tool result without a call', 'tool_call_id'),
  accepted('message-shapes/name-type', 'a number for a name', 'name'),
];
