import type { EventFlow } from '../../core/event-flow.ts';
import type { PassThroughStream } from '../../core/pass-through-call.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';
import { type StreamTiming, streamAnswer } from '../answer-stream.ts';
import { publicError } from '../envelope.ts';
import type { ReplyEnd } from '../reply-end.ts';
import type { ReplyTarget } from '../reply-target.ts';
import { eventStream } from './endpoint-definition.ts';

interface StreamContext {
  readonly id: string;
  readonly supportEmail: string | undefined;
  readonly timing: StreamTiming;
}

/**
 * Forwards an answer at the pace of its readers. If an event stream fails, it ends with an error frame. For other
 * content the connection is closed, so that a client does not take half an audio file for a complete one.
 */
export function passStream(
  target: ReplyTarget,
  { contentType, flow }: PassThroughStream,
  about: StreamContext,
): Promise<ReplyEnd> {
  const isOfEvents = eventStream.test(contentType);
  const format = {
    encoder: () => ({ encode: textOf, done: () => '' }),
    // A keep-alive could corrupt the bytes.
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

/** An error frame as bytes, one per character. The leading newlines end an open frame of the provider. */
export function errorFrame(error: unknown, { id, supportEmail }: Pick<StreamContext, 'id' | 'supportEmail'>): string {
  const { code, message, type } = publicError(error, id, supportEmail);
  const data = JSON.stringify({ type: 'error', error: { code, message, type } });
  return Buffer.from(`\n\nevent: error\ndata: ${data}\n\n`, 'utf8').toString('latin1');
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
