import type { Clock, Timer } from '../../core/time/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { TransportFault } from '../http1/transport-fault.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { refusal, transportError, upstreamFailed } from '../answer/refusal.ts';
import { retryAfterMs } from '../answer/retry-after.ts';
import { BufferedBody } from '../answer/buffered-body.ts';

/** The upstream of a response, for errors with its name and without its secrets. */
export interface BridgeUpstream {
  readonly upstream: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

interface BridgeListener {
  /** Called when the request was sent. */
  sent(): void;
  /** Called when the provider refused the request. The reason may follow. */
  refused(): void;
  /** The expected content type. Any if left out. */
  readonly contentType?: string | undefined;
  resolve(response: Response): void;
  reject(failure: GatewayError): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const refusalBytesMax = 64 * 1024;
/** How long to wait for the body of a refusal, which has the reason. */
const refusalTimeoutMs = 2000;
/** Larger than any event. Packages keep an unfinished event in memory without a limit. */
const eventBytesMax = 32 * 1024 * 1024;

/**
 * One HTTP response as the `Response` that a provider package expects. A refusal is not passed to the package: it
 * becomes the error that other upstreams return.
 */
export class BridgeResponse implements ResponseHandler {
  readonly #upstream: BridgeUpstream;
  readonly #listener: BridgeListener;
  #status = 0;
  #errorType: string | undefined;
  #retryAfter: string | undefined;
  #refused: BufferedBody | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: Timer | undefined;
  #unreadBytes = 0;
  #isOver = false;

  constructor(upstream: BridgeUpstream, listener: BridgeListener) {
    this.#upstream = upstream;
    this.#listener = listener;
  }

  sent(): void {
    this.#listener.sent();
  }

  head(head: ResponseHead): void {
    this.#status = head.status;
    if (head.status !== 200) this.#listener.refused();
    if (head.status >= 400) return this.#refuse(head);
    if (head.status !== 200) {
      return this.#fail(
        this.#refusal(head.status < 300 ? 'an unexpected status' : 'a redirect, which is not followed'),
      );
    }
    const type = head.header('content-type');
    if (!this.#isExpected(type)) {
      return this.#fail(upstreamFailed(`it answered with ${type || 'no content type'} instead of an answer`));
    }
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => this.#listener.resume(),
      cancel: () => this.#close(),
    });
    this.#listener.resolve(new Response(stream, { headers: type === undefined ? {} : { 'content-type': type } }));
  }

  data(bytes: Buffer): void {
    if (this.#refused) return this.#keep(this.#refused, bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > eventBytesMax) {
      return this.#fail(upstreamFailed(`an event of its answer is larger than ${eventBytesMax} bytes`));
    }
    // A copy, because the buffer of the bytes is reused.
    this.#body?.enqueue(Uint8Array.from(bytes));
    if ((this.#body?.desiredSize ?? 0) <= 0) this.#listener.pause();
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#refused) return this.#fail(this.#refusal());
    this.#isOver = true;
    this.#body?.close();
  }

  fail(fault: TransportFault): void {
    if (this.#refused) return this.#fail(this.#refusal());
    this.#fail(transportError(fault));
  }

  eventRead(): void {
    this.#unreadBytes = 0;
  }

  abandon(): void {
    this.#fail(upstreamFailed('the call has ended'));
  }

  /** A package would parse any text as an answer, even the error page of a proxy. */
  #isExpected(type: string | undefined): boolean {
    const { contentType } = this.#listener;
    return contentType === undefined || type?.split(';', 1)[0]?.trim().toLowerCase() === contentType;
  }

  #refuse(head: ResponseHead): void {
    this.#errorType = head.header('x-amzn-errortype')?.split(':', 1)[0];
    this.#retryAfter = head.header('retry-after');
    this.#refused = new BufferedBody(refusalBytesMax);
    this.#timer = this.#upstream.clock.after(refusalTimeoutMs, () => this.#fail(this.#refusal()));
  }

  #keep(refused: BufferedBody, bytes: Buffer): void {
    refused.push(bytes);
    if (refused.isTooLarge) this.#fail(this.#refusal());
  }

  #refusal(text = this.#refused?.text() ?? ''): GatewayError {
    const waitMs = retryAfterMs(this.#retryAfter, this.#upstream.clock.now());
    return refusal(this.#upstream, this.#status, withType(text, this.#errorType), waitMs);
  }

  #fail(failure: GatewayError): void {
    if (this.#isOver) return;
    this.#close();
    this.#listener.reject(failure);
    this.#body?.error(failure);
  }

  #close(): void {
    this.#isOver = true;
    this.#upstream.clock.cancel(this.#timer);
    this.#listener.close();
  }
}

/** Bedrock sends the error type in a header. The other providers send it in the body. */
function withType(text: string, type: string | undefined): string {
  if (type === undefined) return text;
  try {
    return JSON.stringify({ type, ...JSON.parse(text) });
  } catch {
    return JSON.stringify({ type, message: text });
  }
}
