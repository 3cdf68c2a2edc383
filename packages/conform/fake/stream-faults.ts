import { replaceReply, changing, changingChunks, type FakeChunk, type FaultRow, toChat } from './change.ts';
import { jsonReply, type FakeGatewayReply } from './reply.ts';

const all = (change: (chunk: FakeChunk) => void) => changingChunks((chunks) => chunks.forEach(change));
const lastChunk = (change: (chunk: FakeChunk, chunks: FakeChunk[]) => void) =>
  changingChunks((chunks) => {
    const last = chunks.at(-1);
    if (last !== undefined) change(last, chunks);
  });
const secondChunk = (change: (chunk: FakeChunk) => void) =>
  changingChunks((chunks) => {
    if (chunks[1] !== undefined) change(chunks[1]);
  });
const counts = (change: (usage: Record<string, unknown>) => void) =>
  lastChunk(({ usage }) => {
    if (usage !== null) change(usage);
  });
const body = (change: (text: string) => string) =>
  changing(toChat, (reply) => {
    if (reply.status === 200) reply.body = change(reply.body);
  });
const jsonWhen = (stream: unknown) =>
  changing(
    (request) => toChat(request) && request.json.stream === stream,
    (reply: FakeGatewayReply) => replaceReply(reply, jsonReply(200, { object: 'chat.completion', choices: [] })),
  );
const unreported = (when: (json: Record<string, unknown>) => boolean) =>
  changingChunks(
    (chunks) => void chunks.pop(),
    (request) => toChat(request) && when(request.json),
  );
const include = (json: Record<string, unknown>) => JSON.stringify(json.stream_options);

export const streamFaults: readonly FaultRow[] = [
  [
    'stream-shape/stream-true',
    'an error ends the stream',
    body((text) => text.replace('data: [DONE]', 'data: {"error":{"code":"x"}}')),
  ],
  ['stream-shape/stream-true', 'the stream is a 502', changing(toChat, (reply) => void (reply.status = 502))],
  ['stream-shape/stream-false', 'stream: false gives JSON', jsonWhen(false)],
  ['stream-shape/stream-absent', 'no stream field gives JSON', jsonWhen(undefined)],
  [
    'stream-shape/reply',
    'the stream has no content',
    changingChunks((chunks) => void chunks.splice(1, chunks.length - 3)),
  ],
  [
    'stream-shape/media-type',
    'the media type is text',
    changing(toChat, (reply) => void (reply.headers['content-type'] = 'text/plain')),
  ],
  ['stream-shape/framing', 'events have names', body((text) => text.replaceAll('data: {', 'event: chunk\ndata: {'))],
  ['stream-shape/framing', 'data has no space', body((text) => text.replaceAll('data: ', 'data:'))],
  ['stream-shape/framing', 'events are not separated', body((text) => text.replaceAll('\n\ndata', '\ndata'))],
  ['stream-shape/json', 'a chunk is not JSON', body((text) => `data: {"id":\n\n${text}`)],
  ['stream-shape/json', 'a chunk is a number', body((text) => `data: 7\n\n${text}`)],
  ['stream-shape/done', '[DONE] is missing', body((text) => text.replace('data: [DONE]\n\n', ''))],
  ['stream-shape/done', '[DONE] is sent twice', body((text) => `${text}data: [DONE]\n\n`)],
  ['stream-shape/done', 'something follows [DONE]', body((text) => `${text}data: {}\n\n`)],
  ['stream-shape/chunk-fields', 'system_fingerprint is missing', all((chunk) => void delete chunk.system_fingerprint)],
  [
    'stream-shape/chunk-fields',
    'usage is missing in the second chunk',
    secondChunk((chunk) => void delete (chunk as Partial<FakeChunk>).usage),
  ],
  [
    'stream-shape/id',
    'each chunk has another id',
    changingChunks((chunks) => chunks.forEach((chunk, index) => void (chunk.id = `${index}`))),
  ],
  ['stream-shape/id', 'the id is empty', all((chunk) => void (chunk.id = ''))],
  ['stream-shape/object', 'the object differs', all((chunk) => void (chunk.object = 'chat.completion'))],
  ['stream-shape/created', 'created changes', secondChunk((chunk) => void (chunk.created = 1))],
  ['stream-shape/created', 'created has fractions', all((chunk) => void (chunk.created = 1.5))],
  ['stream-shape/created', 'created is in milliseconds', all((chunk) => void (chunk.created = Date.now()))],
  ['stream-shape/one-model', 'the model changes', secondChunk((chunk) => void (chunk.model = 'other'))],
  ['stream-shape/fingerprint', 'there is a fingerprint', all((chunk) => void (chunk.system_fingerprint = 'fp_1'))],
  ['stream-shape/choices', 'logprobs is missing', secondChunk((chunk) => void delete chunk.choices[0]?.logprobs)],
  [
    'stream-shape/choices',
    'the index is a word',
    secondChunk((chunk) => void (chunk.choices = [{ ...chunk.choices[0], index: 'a', delta: {} }])),
  ],
  [
    'stream-shape/role',
    'the role is repeated',
    all((chunk) => chunk.choices.forEach(({ delta }) => void (delta.role = 'assistant'))),
  ],
  [
    'stream-shape/role',
    'the role is missing',
    changingChunks((chunks) => void delete chunks[0]?.choices[0]?.delta.role),
  ],
  [
    'stream-shape/delta',
    'content is a list',
    secondChunk((chunk) => void (chunk.choices = [{ ...chunk.choices[0], delta: { content: ['Hi'] } }])),
  ],
  [
    'stream-shape/delta',
    'tool_calls is an object',
    secondChunk((chunk) => void (chunk.choices = [{ ...chunk.choices[0], delta: { tool_calls: {} } }])),
  ],
  [
    'stream-shape/finish',
    'the finish chunk has content',
    changingChunks((chunks) => chunks.at(-2)?.choices.forEach(({ delta }) => void (delta.content = '!'))),
  ],
  [
    'stream-shape/finish',
    'there is no finish_reason',
    all((chunk) => chunk.choices.forEach((choice) => void (choice.finish_reason = null))),
  ],
  [
    'stream-shape/finish',
    'every chunk has finish_reason',
    all((chunk) => chunk.choices.forEach((choice) => void (choice.finish_reason = 'stop'))),
  ],
  [
    'stream-shape/finish',
    'text follows finish_reason',
    changingChunks((chunks) => void chunks.splice(-1, 0, ...chunks.slice(1, 2))),
  ],
  [
    'stream-shape/usage-null',
    'every chunk has usage',
    lastChunk((last, chunks) => chunks.forEach((chunk) => void (chunk.usage = last.usage))),
  ],
  [
    'stream-shape/usage-last',
    'usage is on the finish chunk',
    changingChunks((chunks) => {
      const last = chunks.pop();
      const finish = chunks.at(-1);
      if (last && finish) finish.usage = last.usage;
    }),
  ],
  ['stream-shape/usage-last', 'the usage chunk is sent twice', lastChunk((last, chunks) => void chunks.push(last))],
  [
    'stream-shape/usage-last',
    'the usage chunk is first',
    changingChunks((chunks) => void chunks.unshift(...chunks.splice(-1))),
  ],
  ['stream-shape/usage-last', 'the usage is null', lastChunk((last) => void (last.usage = null))],
  [
    'usage/without-options',
    'usage is sent only with include_usage',
    unreported((json) => json.stream_options === undefined),
  ],
  [
    'usage/include-usage',
    'usage is missing with include_usage',
    unreported((json) => include(json) === '{"include_usage":true}'),
  ],
  [
    'usage/include-usage-false',
    'usage is missing with include_usage: false',
    unreported((json) => include(json) === '{"include_usage":false}'),
  ],
  ['usage/stream-false', 'usage is missing with stream: false', unreported((json) => json.stream === false)],
  ['usage/counts', 'a count is text', counts((usage) => void (usage.completion_tokens = '7'))],
  [
    'usage/counts',
    'all counts are 0',
    counts((usage) => Object.assign(usage, { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })),
  ],
  ['usage/total', 'the total is wrong', counts((usage) => void (usage.total_tokens = 1))],
  ['usage/longer-prompt', 'the prompt always has the same count', counts((usage) => void (usage.prompt_tokens = 9))],
  ['usage/prompt-details', 'prompt details are missing', counts((usage) => void delete usage.prompt_tokens_details)],
  [
    'usage/prompt-details',
    'cached_tokens exceeds the prompt',
    counts(
      (usage) =>
        void (usage.prompt_tokens_details = { cached_tokens: 9e9, text_tokens: 0, audio_tokens: 0, image_tokens: 0 }),
    ),
  ],
  [
    'usage/completion-details',
    'a completion detail is missing',
    counts((usage) => void (usage.completion_tokens_details = { text_tokens: 1, audio_tokens: 0 })),
  ],
  ['usage/input-tokens', 'input_tokens differs', counts((usage) => void (usage.input_tokens = 0))],
  [
    'usage/output-tokens',
    'output_tokens is the real count',
    counts((usage) => void (usage.output_tokens = usage.completion_tokens)),
  ],
  [
    'usage/cache-buckets',
    'a cache bucket is missing',
    counts((usage) => void delete usage.upstream_cache_creation_1_h_tokens),
  ],
  ['usage/tags', 'a tag is missing', counts((usage) => void delete usage.usage_source)],
];
