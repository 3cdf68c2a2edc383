import { type ChatStream, choicesOf, terminator } from './chat-stream.ts';
import { linesOf } from './event-stream.ts';
import { at, isCount, isObject, isText, listAt, parsed } from './json.ts';
import { expectThat } from './outcome.ts';
import { describe, show } from './wording.ts';

/** A rule for every stream of the chat-completions surface. */
export interface StreamRule {
  readonly slug: string;
  readonly title: string;
  check(stream: ChatStream): void;
}

const chunkFields = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];
const choiceFields = ['index', 'delta', 'finish_reason', 'logprobs'];
const clockSkewSeconds = 3600;

export const streamRules: readonly StreamRule[] = [
  { slug: 'media-type', title: 'The reply has the media type text/event-stream', check: mediaType },
  { slug: 'framing', title: 'Every event is one `data:` line followed by a blank line', check: framing },
  { slug: 'json', title: 'Every event except the terminator is a JSON object', check: json },
  { slug: 'done', title: 'The stream ends with exactly one [DONE]', check: done },
  { slug: 'chunk-fields', title: 'Every chunk has all seven fields', check: fields },
  { slug: 'id', title: 'All chunks of one answer share one id', check: id },
  { slug: 'object', title: 'Every chunk has object chat.completion.chunk', check: object },
  { slug: 'created', title: 'All chunks share one created time, in whole seconds', check: created },
  { slug: 'one-model', title: 'All chunks name the same model', check: oneModel },
  { slug: 'fingerprint', title: 'system_fingerprint is null on every chunk', check: fingerprint },
  { slug: 'choices', title: 'Every choice has index, delta, finish_reason and logprobs', check: choices },
  { slug: 'role', title: 'Only the first chunk has the role', check: role },
  { slug: 'delta', title: 'Text fragments are strings, and tool-call fragments are lists', check: delta },
  {
    slug: 'finish',
    title: 'Only the last chunk of the choice has finish_reason, with an empty delta',
    check: finish,
  },
  { slug: 'usage-null', title: 'usage is null on every chunk that has choices', check: usageNull },
  { slug: 'usage-last', title: 'One chunk without choices has the usage, last before [DONE]', check: usageLast },
];

/** Requires exactly one chunk without choices: the last one, with the usage. */
export function usageLast({ reply, chunks }: ChatStream): void {
  const bare = chunks.filter((chunk) => Array.isArray(at(chunk, 'choices')) && listAt(chunk, 'choices').length === 0);
  expectThat(bare.length > 0, 'a last chunk with empty choices and the usage', `none in ${describe(reply)}`);
  expectThat(bare.length === 1, 'one chunk with empty choices', `${bare.length} of them`);
  expectThat(bare[0] === chunks.at(-1), 'the usage chunk last before [DONE]', show(chunks.at(-1)));
  expectThat(isObject(at(bare[0], 'usage')), 'a populated usage', show(bare[0]));
}

function mediaType({ reply }: ChatStream): void {
  expectThat(reply.mediaType === 'text/event-stream', 'Content-Type: text/event-stream', show(reply.mediaType));
}

function framing({ reply, events }: ChatStream): void {
  const lines = linesOf(reply.text);
  const invalid = lines.find((line) => !/^data: \S/.test(line));
  expectThat(invalid === undefined, 'only lines that begin with "data: "', show(invalid));
  expectThat(
    lines.length === events.length,
    'a blank line after every `data:` line',
    `${lines.length} lines of data in ${events.length} events`,
  );
}

function json({ events }: ChatStream): void {
  const invalid = events.find((event) => event !== terminator && !isObject(parsed(event)));
  expectThat(invalid === undefined, 'every chunk to be a JSON object', show(invalid));
}

function done({ events }: ChatStream): void {
  expectThat(events.at(-1) === terminator, '[DONE] as the last event', show(events.at(-1)));
  const count = events.filter((event) => event === terminator).length;
  expectThat(count === 1, '[DONE] once', `${count} times`);
}

function fields({ chunks }: ChatStream): void {
  for (const chunk of chunks) {
    const missing = chunkFields.filter((field) => at(chunk, field) === undefined);
    expectThat(
      missing.length === 0,
      `the fields ${chunkFields.join(', ')}`,
      `no ${missing.join(', ')} in ${show(chunk)}`,
    );
  }
}

function id({ chunks }: ChatStream): void {
  const ids = distinct(chunks, 'id');
  expectThat(ids.length === 1 && isText(ids[0]), 'one id, a string, on all chunks', show(ids));
}

function object({ chunks }: ChatStream): void {
  const objects = distinct(chunks, 'object');
  const isValid = objects.length === 1 && objects[0] === 'chat.completion.chunk';
  expectThat(isValid, 'object "chat.completion.chunk" on all chunks', show(objects));
}

function created({ reply, chunks }: ChatStream): void {
  const times = distinct(chunks, 'created');
  const [time] = times;
  expectThat(times.length === 1 && isCount(time), 'one integer `created` on all chunks', show(times));
  const served = Date.parse(reply.headers.date ?? '') / 1000;
  if (Number.isNaN(served)) return;
  const isNear = Math.abs(served - time) <= clockSkewSeconds;
  expectThat(isNear, `Unix seconds near the Date of the reply (${served})`, `created ${time}`);
}

function oneModel({ chunks }: ChatStream): void {
  const models = distinct(chunks, 'model');
  expectThat(models.length === 1 && isText(models[0]), 'one model id on all chunks', show(models));
}

function fingerprint({ chunks }: ChatStream): void {
  const values = distinct(chunks, 'system_fingerprint');
  expectThat(values.length === 1 && values[0] === null, 'system_fingerprint null on all chunks', show(values));
}

function choices({ chunks }: ChatStream): void {
  for (const chunk of chunks) {
    expectThat(Array.isArray(at(chunk, 'choices')), 'choices to be a list', show(chunk));
    for (const choice of listAt(chunk, 'choices')) {
      const missing = choiceFields.filter((field) => at(choice, field) === undefined);
      expectThat(
        missing.length === 0,
        `the fields ${choiceFields.join(', ')}`,
        `no ${missing.join(', ')} in ${show(choice)}`,
      );
      expectThat(isCount(at(choice, 'index')), 'index to be an integer', show(choice));
      expectThat(isObject(at(choice, 'delta')), 'delta to be an object', show(choice));
    }
  }
}

function role(stream: ChatStream): void {
  const [first, ...later] = choicesOf(stream);
  expectThat(at(first, 'delta', 'role') === 'assistant', 'delta.role "assistant" on the first chunk', show(first));
  const repeated = later.find((choice) => at(choice, 'delta', 'role') !== undefined);
  expectThat(repeated === undefined, 'no delta.role after the first chunk', show(repeated));
}

function delta(stream: ChatStream): void {
  for (const choice of choicesOf(stream)) {
    for (const field of ['content', 'reasoning_content']) {
      const fragment = at(choice, 'delta', field) ?? null;
      expectThat(
        fragment === null || typeof fragment === 'string',
        `delta.${field} to be a string or null`,
        show(choice),
      );
    }
    const calls = at(choice, 'delta', 'tool_calls') ?? null;
    expectThat(calls === null || Array.isArray(calls), 'delta.tool_calls to be a list or null', show(choice));
  }
}

function finish(stream: ChatStream): void {
  const all = choicesOf(stream);
  const finished = all.filter((choice) => at(choice, 'finish_reason') !== null);
  expectThat(
    finished.length === 1,
    'finish_reason null on all chunks but one',
    `set on ${finished.length}: ${show(finished)}`,
  );
  const last = all.at(-1);
  expectThat(last === finished[0], 'finish_reason on the last chunk that has a choice', show(finished[0]));
  expectThat(isText(at(last, 'finish_reason')), 'finish_reason to be a word', show(last));
  const isEmpty = Object.keys((at(last, 'delta') as object | undefined) ?? {}).length === 0;
  expectThat(isEmpty, 'an empty delta with finish_reason', show(last));
}

function usageNull({ chunks }: ChatStream): void {
  const early = chunks.find((chunk) => listAt(chunk, 'choices').length > 0 && at(chunk, 'usage') !== null);
  expectThat(early === undefined, 'usage null while there are choices', show(early));
}

function distinct(chunks: readonly unknown[], field: string): readonly unknown[] {
  return [...new Set(chunks.map((chunk) => at(chunk, field)))];
}
