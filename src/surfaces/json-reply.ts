import { GatewayError } from '../core/gateway-error.ts';
import type { StreamEvent } from '../core/chat/stream-event.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import type { AnswerEncoder, StreamFormat } from './answer-stream.ts';

/** More events than any model produces. Above it the upstream is faulty, and the answer must not fill the memory. */
const eventsMax = 1_000_000;

/** Collects the answer and sends it as one JSON body. Nothing is sent before. */
export function jsonFormat(
  encode: (answer: InferenceAnswer, events: readonly StreamEvent[]) => string | Promise<string>,
): StreamFormat {
  return {
    encoder: (answer) => new JsonEncoder((events) => encode(answer, events)),
    keepAlive: () => '',
    errorFrame: () => undefined,
    form: { kind: 'body', status: 200, contentType: 'application/json' },
  };
}

class JsonEncoder implements AnswerEncoder {
  readonly #encodeAll: (events: readonly StreamEvent[]) => string | Promise<string>;
  readonly #events: StreamEvent[] = [];
  #body = '';

  constructor(encodeAll: (events: readonly StreamEvent[]) => string | Promise<string>) {
    this.#encodeAll = encodeAll;
  }

  encode(batch: readonly StreamEvent[]): string {
    for (const event of batch) this.#events.push(event);
    if (this.#events.length > eventsMax) throw new GatewayError('upstream-failed');
    return '';
  }

  async settled(): Promise<void> {
    this.#body = await this.#encodeAll(this.#events);
  }

  done(): string {
    return this.#body;
  }
}
