import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import type { StreamFormat } from './answer-stream.ts';

/** More events than any model produces. Above it the upstream is faulty, and the answer must not fill the memory. */
const eventsMax = 1_000_000;

/** Collects the answer and sends it as one JSON body. Nothing is sent before. */
export function jsonFormat(
  encode: (answer: InferenceAnswer, events: readonly StreamEvent[]) => string | Promise<string>,
): StreamFormat {
  return {
    encoder(answer) {
      const events: StreamEvent[] = [];
      let body = '';
      return {
        encode(batch) {
          for (const event of batch) events.push(event);
          if (events.length > eventsMax) throw new GatewayError('upstream-failed');
          return '';
        },
        async settled() {
          body = await encode(answer, events);
        },
        done: () => body,
      };
    },
    keepAlive: () => '',
    errorFrame: () => undefined,
    form: { kind: 'body', status: 200, contentType: 'application/json' },
  };
}
