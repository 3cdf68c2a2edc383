import type { ReceivedReply } from './client.ts';
import { eventsOf } from './event-stream.ts';
import { at, isObject, listAt, parsed } from './json.ts';
import { expectThat } from './outcome.ts';
import { describe, show } from './wording.ts';

export const terminator = '[DONE]';

/** A reply of the chat-completions surface, parsed as a stream. Its shape is not validated. */
export interface ChatStream {
  readonly reply: ReceivedReply;
  /** The data of every event in order, including the terminator. */
  readonly events: readonly string[];
  /** Every event that is valid JSON, without the terminator. */
  readonly chunks: readonly unknown[];
}

/** Parses a stream with status 200. Throws `UnmetExpectation` if the status differs or the stream contains an error. */
export function chatStream(reply: ReceivedReply): ChatStream {
  expectThat(reply.status === 200, '200 with an event stream', describe(reply));
  const events = eventsOf(reply.text);
  expectThat(events.length > 0, 'a stream of `data:` lines', describe(reply));
  const chunks = events.filter((event) => event !== terminator).map(parsed);
  const error = chunks.map((chunk) => at(chunk, 'error')).find(isObject);
  expectThat(error === undefined, 'a stream that completes', `the stream ended with the error ${show(error)}`);
  return { reply, events, chunks: chunks.filter((chunk) => chunk !== undefined) };
}

export function choicesOf(stream: ChatStream): readonly unknown[] {
  return stream.chunks.flatMap((chunk) => listAt(chunk, 'choices'));
}

export function contentOf(stream: ChatStream): string {
  return joined(stream, 'content');
}

export function reasoningOf(stream: ChatStream): string {
  return joined(stream, 'reasoning_content');
}

export function finishReasonOf(stream: ChatStream): unknown {
  return choicesOf(stream)
    .map((choice) => at(choice, 'finish_reason'))
    .findLast((reason) => typeof reason === 'string');
}

/** The usage object of the last chunk that has one. */
export function usageOf(stream: ChatStream): Readonly<Record<string, unknown>> {
  const usage = stream.chunks.map((chunk) => at(chunk, 'usage')).findLast(isObject);
  expectThat(
    usage !== undefined,
    'a chunk with a populated usage',
    `no usage on any of ${stream.chunks.length} chunks`,
  );
  return usage;
}

function joined(stream: ChatStream, field: string): string {
  return choicesOf(stream)
    .map((choice) => at(choice, 'delta', field))
    .filter((fragment) => typeof fragment === 'string')
    .join('');
}
