import { bending, type FaultRow, refusing, toChat } from './change.ts';
import { list, messagesOf, of } from './rules.ts';

type Json = Readonly<Record<string, unknown>>;

const refused = (check: string, wrong: string, when: (json: Json) => boolean): FaultRow => [
  check,
  `${wrong} is rejected`,
  refusing(when),
];
const kept = (check: string, wrong: string, ...without: readonly string[]): FaultRow => [
  check,
  `${wrong} is accepted`,
  { without },
];
const hasMessage = (when: (message: Json) => boolean) => (json: Json) => messagesOf(json).some(when);

export const fieldFaults: readonly FaultRow[] = [
  refused('fields/null', 'null', (json) => json.temperature === null),
  refused('fields/frequency-penalty', 'a penalty as text', (json) => json.frequency_penalty === 'high'),
  refused('fields/presence-penalty', 'a penalty above 2', (json) => json.presence_penalty === -9),
  refused(
    'fields/stream-options',
    'stream_options without stream',
    (json) => json.stream !== true && json.stream_options !== undefined,
  ),
  refused('fields/sampling', 'temperature with top_p', (json) => json.temperature === 1 && json.top_p === 1),
  refused('fields/text-format', 'the text format', (json) => of(json.response_format).type === 'text'),
  refused('fields/stop', 'a single stop sequence', (json) => json.stop === 'zzz'),
  refused('fields/thinking', 'thinking', (json) => json.thinking !== undefined),
  refused('fields/effort', 'the effort xhigh', (json) => json.reasoning_effort === 'xhigh'),
  refused('fields/tool', 'strict', (json) => JSON.stringify(json).includes('"strict":true')),
  refused('fields/user-id', 'a user id', (json) => json.user_id === 'Customer_42-a'),
  refused('fields/unlisted', 'an unlisted field', (json) => json.conform_unlisted_field !== undefined),
  refused('limits/temperature-range', 'temperature 2', (json) => json.temperature === 2),
  kept('limits/temperature', 'temperature 2.01', 'temperature'),
  refused('limits/top-p-range', 'top_p 0', (json) => json.top_p === 0),
  kept('limits/top-p', 'top_p 1.01', 'top_p'),
  refused('limits/stop-16', 'a sixteenth stop', (json) => list(json.stop).length === 16),
  kept('limits/stop', 'a seventeenth stop', 'stop length'),
  kept('limits/stop', 'a stop that is a number', 'stop'),
  refused('limits/tools-128', 'a 128th tool', (json) => list(json.tools).length === 128),
  kept('limits/tools', 'a 129th tool', 'tools length'),
  kept('limits/tool-type', 'a tool of another type', 'tool type', 'tool name'),
  refused('limits/tool-name-64', 'a long name', (json) => JSON.stringify(json.tools ?? 0).includes('Az_0-9')),
  kept('limits/tool-name', 'any name', 'tool name'),
  kept('limits/tool-choice', 'any choice', 'tool_choice'),
  refused('limits/user-id-512', 'a user id of 512', (json) => json.user_id === 'u'.repeat(512)),
  kept('limits/user-id-513', 'a user id of 513', 'user_id length'),
  kept('limits/user-id', 'any user id', 'user_id'),
  kept('limits/top-logprobs', 'top_logprobs 21', 'top_logprobs'),
  kept('limits/top-logprobs-alone', 'top_logprobs alone', 'top_logprobs alone'),
  refused('limits/top-logprobs-range', 'top_logprobs 20', (json) => json.top_logprobs === 20),
  kept('limits/logprobs', 'logprobs as text', 'logprobs'),
  kept('limits/max-tokens', 'max_tokens of -1', 'max_tokens'),
  kept('limits/format', 'any format', 'response_format'),
  kept('limits/stream', 'stream as text', 'stream'),
  kept('limits/thinking', 'any thinking', 'thinking'),
  kept('limits/effort', 'any effort', 'reasoning_effort'),
  [
    'limits/model',
    'a missing model gives 500',
    bending(
      (request) => toChat(request) && request.json.model === undefined,
      (reply) => void (reply.status = 500),
    ),
  ],
  [
    'limits/object',
    'a list is accepted',
    bending(
      ({ body }) => body === '[]',
      (reply) => void (reply.status = 200),
    ),
  ],
  [
    'limits/named',
    'the error does not name the field',
    bending(
      ({ json }) => json.temperature === 2.01,
      (reply) => void (reply.body = reply.body.replace('temperature', 'it')),
    ),
  ],
  refused(
    'message-shapes/system',
    'a system message',
    hasMessage(({ role }) => role === 'system'),
  ),
  refused(
    'message-shapes/assistant',
    'replayed output',
    hasMessage(({ content }) => content === 'Hello!'),
  ),
  refused(
    'message-shapes/tool',
    'null content',
    hasMessage(({ content }) => content === null),
  ),
  refused(
    'message-shapes/name',
    'a name',
    hasMessage(({ name }) => name === 'clock'),
  ),
  kept('message-shapes/at-least-one', 'an empty conversation', 'messages'),
  kept('message-shapes/element', 'null for a message', 'element', 'role', 'content', 'tool_call_id', 'name'),
  kept('message-shapes/role', 'any role', 'role'),
  kept('message-shapes/content', 'missing content', 'content'),
  kept('message-shapes/tool-call-id', 'a tool result without a call', 'tool_call_id'),
  kept('message-shapes/name-type', 'a number for a name', 'name'),
];
