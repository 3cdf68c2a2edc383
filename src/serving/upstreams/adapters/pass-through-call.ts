import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { PassThroughAnswer, PassThroughStream, SplitCall } from '../../../core/pass-through-call.ts';
import { attributed } from '../answer/attribution.ts';
import { type FlowSource, BufferedFlow } from '../answer/buffered-flow.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { TransportFault } from '../http1/transport-fault.ts';
import type { HttpPool, SentRequest } from '../http1/pool.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { transportError, upstreamFailed } from '../answer/refusal.ts';
import { BufferedBody, type CallParts, type Opening, RefusedResponse } from '../answer/refused-response.ts';
import { Watchdog } from '../answer/watchdog.ts';

/** Larger than any embedding, image or audio that a client can use. */
const answerBytesMax = 64 * 1024 * 1024;

interface PassThroughParts extends CallParts {
  streams(contentType: string): boolean;
}

/** Resolves with the answer, or with its flow once the provider accepts. Rejects as `open` of an upstream does. */
export function callPassThrough(
  pool: HttpPool,
  request: string | Buffer,
  parts: PassThroughParts,
  signal: AbortSignal,
): Promise<PassThroughAnswer | PassThroughStream> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    new PassThroughExchange(parts, signal, { resolve, reject }).send(pool, request);
  });
}

/** Sends one call as several requests, one after another, because it has one slot. The first failure ends the call. */
export async function sendInSequence(
  split: SplitCall,
  model: string,
  send: (body: string) => Promise<PassThroughAnswer | PassThroughStream>,
): Promise<PassThroughAnswer> {
  for (const [index, body] of split.bodies(model).entries()) {
    const answer = await send(body);
    if ('flow' in answer) {
      answer.flow.cancel();
      throw upstreamFailed('it streamed an answer that must be a single body');
    }
    split.take(answer, index);
  }
  return split.join();
}

/** One request to a provider and its response. Settles exactly once. */
class PassThroughExchange implements ResponseHandler, FlowSource {
  readonly #parts: PassThroughParts;
  readonly #signal: AbortSignal;
  readonly #opening: Opening<PassThroughAnswer | PassThroughStream>;
  readonly #watchdog: Watchdog;
  #sent: SentRequest | undefined;
  #head: ResponseHead | undefined;
  #refused: RefusedResponse | undefined;
  readonly #body = new BufferedBody(answerBytesMax);
  #flow: BufferedFlow | undefined;
  #isOver = false;

  constructor(parts: PassThroughParts, signal: AbortSignal, opening: Opening<PassThroughAnswer | PassThroughStream>) {
    this.#parts = parts;
    this.#signal = signal;
    this.#opening = opening;
    this.#watchdog = new Watchdog(parts.clock, parts.timeouts, this.#timedOut);
    signal.addEventListener('abort', this.#aborted);
  }

  send(pool: HttpPool, request: string | Buffer): void {
    this.#sent = pool.send(request, this);
  }

  sent(): void {
    this.#parts.sent?.();
  }

  head(head: ResponseHead): void {
    this.#head = head;
    this.#watchdog.begin();
    if (head.status === 200) return this.#accept(head.header('content-type') ?? '');
    this.#refused = new RefusedResponse(head, this.#parts, (error) => this.#fail(error));
  }

  data(bytes: Buffer): void {
    this.#watchdog.keepAlive();
    if (this.#flow) return this.#flow.deliver([{ type: 'verbatim', text: bytes.toString('latin1') }]);
    if (this.#refused) return this.#refused.push(bytes);
    this.#body.push(bytes);
    if (this.#body.isTooLarge) this.#fail(upstreamFailed(`its answer is larger than ${answerBytesMax} bytes`));
  }

  end(): void {
    if (this.#refused) return this.#refused.end();
    if (this.#flow) {
      if (this.#close()) this.#flow.end();
      return;
    }
    const contentType = this.#head?.header('content-type') ?? '';
    const body = this.#body.bytes();
    if (this.#close()) this.#opening.resolve({ contentType, body });
  }

  fail(fault: TransportFault): void {
    if (this.#refused) this.#refused.end();
    else this.#fail(transportError(fault));
  }

  pause(): void {
    this.#watchdog.pause();
    this.#sent?.pause();
  }

  resume(): void {
    this.#watchdog.resume();
    this.#sent?.resume();
  }

  cancel(): void {
    if (this.#close()) this.#sent?.destroy();
  }

  #accept(contentType: string): void {
    if (!this.#parts.streams(contentType)) return;
    this.#flow = new BufferedFlow(this);
    this.#opening.resolve({ contentType, flow: this.#flow });
  }

  readonly #timedOut = (message: string): void => {
    this.#fail(new GatewayError('upstream-timeout', { cause: new Error(message) }));
  };

  readonly #aborted = (): void => {
    this.#fail(this.#signal.reason);
  };

  #fail(error: unknown): void {
    if (!this.#close()) return;
    this.#sent?.destroy();
    const attributedError = attributed(error, this.#parts.upstream, this.#parts.redact);
    if (this.#flow) this.#flow.fail(attributedError);
    else this.#opening.reject(attributedError);
  }

  /** Returns whether it was still open. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#watchdog.stop();
    this.#refused?.cancel();
    this.#signal.removeEventListener('abort', this.#aborted);
    return true;
  }
}
