import { setImmediate as turn } from 'node:timers/promises';
import type { ScriptedReply, ReplyWriter } from '../fakes/fake-provider.ts';
import { bytesOf, type Counts, type ProviderKind, type SplitAnswer } from '../provider-kinds/provider-kind.ts';
import { counts, words } from './fault.ts';

/** A step of an answer: bytes of its body, a promise to await, or an action on the connection. */
export type Step = Buffer | string | Promise<unknown> | ((writer: ReplyWriter) => unknown);

/** An answer with these steps. Its body stays open unless a step ends it. */
export function play(
  kind: ProviderKind,
  steps: readonly Step[],
  headers: Readonly<Record<string, string>> = {},
): ScriptedReply {
  return async (writer) => {
    writer.head(200, { 'content-type': kind.contentType, ...headers });
    for (const step of steps) {
      if (step instanceof Promise) await step;
      else if (typeof step === 'function') await step(writer);
      else if (step.length > 0) await writer.body(step);
    }
  };
}

export const end: Step = (writer) => writer.end();
export const cut: Step = (writer) => writer.cut();
export const reset: Step = (writer) => writer.reset();

/** The answer in which all faults occur. */
export function splitAnswer(kind: ProviderKind, reported: Counts | undefined = counts): SplitAnswer {
  return kind.answer(words, reported);
}

/** The complete correct answer. */
export function answerBytes(kind: ProviderKind): Buffer {
  return bytesOf(splitAnswer(kind));
}

/** The beginning of the answer and its first word. */
export function firstWord(kind: ProviderKind): Buffer {
  const { begin, words } = splitAnswer(kind);
  return Buffer.concat([begin, words[0] ?? Buffer.alloc(0)]);
}

/** Sends the same bytes until the connection is closed. */
export function repeat(bytes: Buffer): Step {
  return async (writer) => {
    while (!writer.isClosed) {
      await writer.body(bytes);
      await turn();
    }
  };
}

/** A response with raw headers and body. Then the connection is closed properly. */
export function rawResponse(kind: ProviderKind, headers: string, body: Buffer | string): ScriptedReply {
  return async (writer) => {
    await writer.raw(`HTTP/1.1 200 OK\r\ncontent-type: ${kind.contentType}\r\n${headers}\r\n\r\n`);
    await writer.raw(body);
    writer.cut();
  };
}
