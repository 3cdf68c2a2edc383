import {
  changing,
  changingChunks,
  changingJson,
  type FakeChunk,
  type FaultRow,
  rejecting,
  to,
  toChat,
} from './change.ts';
import { chatReply } from './chat.ts';
import type { FakeRequest } from './reply.ts';
import { list, messagesOf, of } from './rules.ts';

type Json = Readonly<Record<string, unknown>>;

const ignoring = (change: (json: Json) => Json, when: (json: Json) => boolean) =>
  changing(
    (request) => toChat(request) && when(request.json),
    (reply, request) => {
      reply.body = chatReply(change(request.json)).body;
    },
  );
const without = (field: string) => (json: Json) => ({ ...json, [field]: undefined });
const fragments = (change: (fragment: Record<string, unknown>) => void) =>
  changingChunks((chunks) =>
    chunks.forEach(({ choices }) =>
      choices.forEach(({ delta }) => list(delta.tool_calls).forEach((call) => change(call as Record<string, unknown>))),
    ),
  );
const choices = (change: (choice: FakeChunk['choices'][number], request: FakeRequest) => void) =>
  changingChunks((chunks, request) =>
    chunks.forEach((chunk) => chunk.choices.forEach((choice) => change(choice, request))),
  );
const records = (change: (record: Record<string, unknown>) => void) =>
  choices(({ logprobs }) => list(of(logprobs).content).forEach((record) => change(record as Record<string, unknown>)));
const completions = to('/v1/completions');
const balance = to('/v1/user/balance', 'GET');
const messages = to('/anthropic/v1/messages');
const record = { token: 'a', logprob: -1, bytes: null };

export const abilityFaults: readonly FaultRow[] = [
  [
    'generation/stop-string',
    'a stop string is ignored',
    ignoring(without('stop'), ({ stop }) => typeof stop === 'string'),
  ],
  ['generation/stop-list', 'a stop list is ignored', ignoring(without('stop'), ({ stop }) => Array.isArray(stop))],
  ['generation/max-tokens', 'max_tokens is ignored', ignoring(without('max_tokens'), () => true)],
  ['generation/json-object', 'the format is ignored', ignoring(without('response_format'), () => true)],
  ['tools/call', 'a call has no id', fragments((call) => void delete call.id)],
  ['tools/call', 'a call has no type', fragments((call) => void delete call.type)],
  [
    'tools/call',
    'a call names an invented tool',
    fragments((call) => void (call.function = { name: 'rm', arguments: '{}' })),
  ],
  ['tools/fragments', 'fragments have no index', fragments((call) => void delete call.index)],
  [
    'tools/arguments',
    'the arguments are incomplete JSON',
    fragments((call) => void (call.function = { ...of(call.function), arguments: '{' })),
  ],
  [
    'tools/finish',
    'an answer with tool calls finishes with stop',
    choices((choice) => void (choice.finish_reason &&= 'stop')),
  ],
  ['tools/follow-up', 'a tool result is rejected', rejecting((json) => messagesOf(json).at(-1)?.role === 'tool')],
  [
    'tools/none',
    'none is ignored',
    ignoring(
      (json) => ({ ...json, tool_choice: 'auto' }),
      (json) => json.tool_choice === 'none',
    ),
  ],
  [
    'tools/required',
    'required is ignored',
    ignoring(
      (json) => ({ ...json, tools: [] }),
      (json) => json.tool_choice === 'required',
    ),
  ],
  [
    'tools/forced',
    'the forced function is ignored',
    ignoring(
      (json) => ({ ...json, tool_choice: 'auto' }),
      () => true,
    ),
  ],
  [
    'thinking/disabled',
    'the model reasons although thinking is disabled',
    ignoring(
      (json) => ({ ...json, thinking: undefined }),
      () => true,
    ),
  ],
  [
    'thinking/default',
    'the model reasons only if thinking is enabled',
    ignoring(
      (json) => ({ ...json, thinking: { type: 'disabled' } }),
      (json) => json.thinking === undefined,
    ),
  ],
  [
    'thinking/counted',
    'reasoning is not counted',
    changingChunks(
      (chunks) =>
        void Object.assign(chunks.at(-1)?.usage ?? {}, { completion_tokens_details: { reasoning_tokens: 0 } }),
    ),
  ],
  [
    'logprobs/null',
    'logprobs is sent without a request',
    choices((choice) => void (choice.logprobs = { content: [record] })),
  ],
  [
    'logprobs/false',
    'logprobs: false is ignored',
    choices((choice, { json }) => {
      if (json.logprobs === false) choice.logprobs = { content: [] };
    }),
  ],
  [
    'logprobs/content',
    'content is not a list',
    choices((choice) => void (choice.logprobs &&= { content: null, reasoning_content: [record] })),
  ],
  [
    'logprobs/content',
    'reasoning_content is not a list',
    choices((choice) => void (choice.logprobs &&= { content: [record], reasoning_content: 'no' })),
  ],
  ['logprobs/record', 'a record has no token', records((one) => void delete one.token)],
  ['logprobs/record', 'a probability is not a logarithm', records((one) => void (one.logprob = 0.9))],
  ['logprobs/record', 'bytes are characters', records((one) => void (one.bytes = ['a']))],
  [
    'logprobs/no-alternatives',
    'alternatives are sent without a request',
    records((one) => void (one.top_logprobs = [record])),
  ],
  ['logprobs/alternatives', 'alternatives are missing', records((one) => void delete one.top_logprobs)],
  [
    'logprobs/alternatives',
    'there are too many alternatives',
    records((one) => void (one.top_logprobs = [record, record, record, record])),
  ],
  [
    'logprobs/alternatives',
    'alternatives have no bytes',
    records((one) => void (one.top_logprobs = [{ token: 'a', logprob: -1 }, record, record])),
  ],
  [
    'completions/stream',
    'stream: false gives JSON',
    changing(
      (request) => completions(request) && request.json.stream === false,
      (reply) => void (reply.headers['content-type'] = 'application/json'),
    ),
  ],
  [
    'completions/chunk',
    'chunks are chat chunks',
    changingChunks((chunks) => chunks.forEach((chunk) => void (chunk.object = 'chat.completion.chunk')), completions),
  ],
  [
    'completions/chunk',
    'choices have no text',
    changingChunks(
      (chunks) => chunks.forEach((chunk) => chunk.choices.forEach((choice) => void delete choice.text)),
      completions,
    ),
  ],
  ['completions/usage', 'usage is missing', changingChunks((chunks) => void chunks.pop(), completions)],
  [
    'completions/done',
    '[DONE] is missing',
    changing(completions, (reply) => void (reply.body = reply.body.replace('data: [DONE]\n\n', ''))),
  ],
  [
    'completions/prompt',
    'a missing prompt is a 500',
    changing(
      (request) => completions(request) && request.json.prompt === undefined,
      (reply) => void (reply.status = 500),
    ),
  ],
  ['balance/available', 'is_available is text', changingJson(balance, (body) => void (body.is_available = 'yes'))],
  [
    'balance/amounts',
    'amounts are numbers',
    changingJson(
      balance,
      (body) =>
        void (body.balance_infos = [{ currency: 'USD', total_balance: 5, granted_balance: 5, topped_up_balance: 0 }]),
    ),
  ],
  ['balance/amounts', 'there is no currency', changingJson(balance, (body) => void (body.balance_infos = []))],
  [
    'messages-surface/message',
    'the answer is a chat completion',
    changing(
      (request) => messages(request) && request.json.stream !== true,
      (reply) => void (reply.body = '{"object":"chat.completion"}'),
    ),
  ],
  [
    'messages-surface/stream',
    'the stream is not closed',
    changing(messages, (reply) => void (reply.body = reply.body.replace('message_stop', 'message_delta'))),
  ],
];
