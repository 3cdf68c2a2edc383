import type { Clock, Timer } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import type { AnswerTimeouts } from './answer-deadlines.ts';
import { refusal } from './refusal.ts';
import { retryAfterMs } from './retry-after.ts';

/** The settings that all calls to an upstream share, and the callbacks of one call. */
export interface CallParts {
  readonly upstream: string;
  readonly clock: Clock;
  readonly timeouts: AnswerTimeouts;
  readonly redact: (text: string) => string;
  readonly sent?: (() => void) | undefined;
  /** Called when the provider refused the request, before the reason is read. */
  readonly refused?: (() => void) | undefined;
}

/** Receives the answer once the provider accepts the request, or the reason why there is none. */
export interface Opening<Answer> {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

type RefusalParts = Pick<CallParts, 'upstream' | 'clock' | 'redact' | 'refused'>;

const reasonBytesMax = 64 * 1024;
/** How long to wait for the body of a refusal, which has the reason. */
const reasonTimeoutMs = 2000;

/** A response with another status than 200. Calls `done` with its error, once its reason is read. */
export class RefusedResponse {
  readonly #head: ResponseHead;
  readonly #parts: RefusalParts;
  readonly #done: (error: GatewayError) => void;
  readonly #reason = new BufferedBody(reasonBytesMax);
  #timer: Timer | undefined;

  constructor(head: ResponseHead, parts: RefusalParts, done: (error: GatewayError) => void) {
    this.#head = head;
    this.#parts = parts;
    this.#done = done;
    const { status } = head;
    parts.refused?.();
    if (status >= 400) this.#timer = parts.clock.after(reasonTimeoutMs, () => this.end());
    else done(this.#error(status < 300 ? 'an unexpected status' : 'a redirect, which is not followed'));
  }

  push(bytes: Buffer): void {
    this.#reason.push(bytes);
    if (this.#reason.isTooLarge) this.end();
  }

  /** Reports the refusal with the part of its reason that has arrived. */
  end(): void {
    this.#done(this.#error(this.#reason.text()));
  }

  cancel(): void {
    this.#parts.clock.cancel(this.#timer);
  }

  /** Never throws, because timers call it too. */
  #error(text: string): GatewayError {
    try {
      const waitMs = retryAfterMs(this.#head.header('retry-after'), this.#parts.clock.now());
      return refusal(this.#parts, this.#head.status, text, waitMs);
    } catch (cause) {
      return new GatewayError('upstream-failed', { cause });
    }
  }
}

export class BufferedBody {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  /** Copies the bytes, because their buffer is reused. Bytes beyond the limit are dropped. */
  push(bytes: Buffer): void {
    if (!this.isTooLarge) this.#pieces.push(Buffer.from(bytes.subarray(0, this.#bytesMax - this.#bytes)));
    this.#bytes += bytes.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}
