import type { StreamEvent } from '../../core/chat/stream-event.ts';
import type { InferenceAnswer } from '../../inference/inference-input.ts';
import { sendAnswer, type StreamTiming } from '../answer-stream.ts';
import { publicError } from '../envelope.ts';
import type { ReplyEnd } from '../replies/reply-reader.ts';
import type { SharedReply } from '../replies/shared-reply.ts';
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
  reply: SharedReply,
  answer: InferenceAnswer & { readonly contentType: string },
  about: StreamContext,
): Promise<ReplyEnd> {
  const { contentType } = answer;
  const isOfEvents = eventStream.test(contentType);
  const format = {
    encoder: () => ({ encode: textOf, done: () => '' }),
    // A keep-alive could corrupt the bytes.
    keepAlive: () => '',
    errorFrame: (error: unknown) => (isOfEvents ? errorFrame(error, about) : undefined),
    form: { kind: 'stream' as const, contentType },
  };
  return sendAnswer(reply, Promise.resolve(answer), format, about.timing);
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
