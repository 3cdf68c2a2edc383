import type { EventFlow } from '../../core/event-flow.ts';
import type { PassThroughStream } from '../../core/pass-through-call.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';
import { type StreamTiming, streamAnswer } from '../answer-stream.ts';
import { publicError } from '../envelope.ts';
import type { ReplyEnd } from '../reply-end.ts';
import type { ReplyTarget } from '../reply-target.ts';
import { eventStream } from './row.ts';

interface StreamContext {
  readonly id: string;
  readonly supportEmail: string | undefined;
  readonly timing: StreamTiming;
}

/**
 * Sends an answer on as it comes, at the pace of whoever reads it. One that breaks off ends with an error frame if it is
 * made of events; of others the connection is cut, so that nobody takes half a sound for a whole one.
 */
export function passStream(
  target: ReplyTarget,
  { contentType, flow }: PassThroughStream,
  about: StreamContext,
): Promise<ReplyEnd> {
  const isOfEvents = eventStream.test(contentType);
  const format = {
    encoder: () => ({ encode: textOf, done: () => '' }),
    // Nobody knows where in its bytes a sign of life would stand.
    keepAlive: () => '',
    errorFrame: (error: unknown) => (isOfEvents ? errorFrame(error, about) : ''),
  };
  const reply = {
    get gone() {
      return target.gone;
    },
    send: target.send.bind(target),
    fail: (error: unknown) => target.fail(error),
    openEventStream: () => {
      const writer = target.openEventStream(contentType);
      return isOfEvents ? writer : cutWhenBroken(writer, target);
    },
  };
  return streamAnswer(reply, Promise.resolve(answerOf(flow)), format, about.timing);
}

function answerOf(flow: EventFlow) {
  return { model: '', upstream: '', flow };
}

function textOf(batch: readonly StreamEvent[]): string {
  return batch.map((event) => (event.type === 'verbatim' ? event.text : '')).join('');
}

/** As bytes, a character each. A frame of the provider's that is still open ends before it. */
export function errorFrame(error: unknown, { id, supportEmail }: Pick<StreamContext, 'id' | 'supportEmail'>): string {
  const { code, message, type } = publicError(error, id, supportEmail);
  const told = JSON.stringify({ type: 'error', error: { code, message, type } });
  return Buffer.from(`\n\nevent: error\ndata: ${told}\n\n`, 'utf8').toString('latin1');
}

function cutWhenBroken(writer: EventStreamWriter, target: ReplyTarget): EventStreamWriter {
  return {
    write: (bytes) => writer.write(bytes),
    onDrain: (callback) => writer.onDrain(callback),
    end: (bytes) => writer.end(bytes),
    breakOff: (_bytes, error) => target.fail(error),
    destroy: () => writer.destroy(),
  };
}
