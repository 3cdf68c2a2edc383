import type { GatewayError } from '../../core/gateway-error.ts';
import { transportError, upstreamFailed } from '../answer/refusal.ts';
import { type CallParts, RefusedResponse } from '../answer/refused-response.ts';
import { objectOf, parsedJson } from '../../dialects/wire-value.ts';
import type { HttpPool, SentRequest } from '../http1/pool.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import type { TransportFault } from '../http1/transport-fault.ts';

export interface BridgeExpectations extends Pick<CallParts, 'sent' | 'refused'> {
  /** A response with another content type is an error. Any if left out. */
  readonly contentType?: string | undefined;
}

interface BridgeOpening {
  resolve(response: Response): void;
  reject(failure: GatewayError): void;
}

/** Larger than any event. Packages keep an unfinished event in memory without a limit. */
const eventBytesMax = 32 * 1024 * 1024;

/** The `Response` that a package expects. A refusal becomes the error that other upstreams return instead. */
export class BridgeResponse implements ResponseHandler {
  readonly #upstream: Pick<CallParts, 'upstream' | 'clock' | 'redact'>;
  readonly #expected: BridgeExpectations;
  readonly #opening: BridgeOpening;
  #sent: SentRequest | undefined;
  #refused: RefusedResponse | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #unreadBytes = 0;
  #isOver = false;

  constructor(
    upstream: Pick<CallParts, 'upstream' | 'clock' | 'redact'>,
    expected: BridgeExpectations,
    opening: BridgeOpening,
  ) {
    this.#upstream = upstream;
    this.#expected = expected;
    this.#opening = opening;
  }

  send(pool: HttpPool, request: string): void {
    this.#sent = pool.send(request, this);
  }

  sent(): void {
    this.#expected.sent?.();
  }

  head(head: ResponseHead): void {
    if (head.status !== 200) {
      const { upstream, clock, redact } = this.#upstream;
      const parts = { upstream, clock, redact, refused: this.#expected.refused, refusalText };
      this.#refused = new RefusedResponse(head, parts, (error) => this.#fail(error));
      return;
    }
    const type = head.header('content-type');
    if (!this.#isExpected(type)) {
      return this.#fail(upstreamFailed(`it answered with ${type || 'no content type'} instead of an answer`));
    }
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      pull: () => this.#sent?.resume(),
      cancel: () => this.#close(),
    });
    this.#opening.resolve(new Response(stream, { headers: type === undefined ? {} : { 'content-type': type } }));
  }

  data(bytes: Buffer): void {
    if (this.#refused) return this.#refused.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > eventBytesMax) {
      return this.#fail(upstreamFailed(`an event of its answer is larger than ${eventBytesMax} bytes`));
    }
    // A copy, because the buffer of the bytes is reused.
    this.#body?.enqueue(Uint8Array.from(bytes));
    if ((this.#body?.desiredSize ?? 0) <= 0) this.#sent?.pause();
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#refused) return this.#refused.end();
    this.#isOver = true;
    this.#body?.close();
  }

  fail(fault: TransportFault): void {
    if (this.#refused) this.#refused.end();
    else this.#fail(transportError(fault));
  }

  eventRead(): void {
    this.#unreadBytes = 0;
  }

  abandon(): void {
    this.#fail(upstreamFailed('the call has ended'));
  }

  /** A package would parse any text as an answer, even the error page of a proxy. */
  #isExpected(type: string | undefined): boolean {
    const { contentType } = this.#expected;
    return contentType === undefined || type?.split(';', 1)[0]?.trim().toLowerCase() === contentType;
  }

  #fail(failure: GatewayError): void {
    if (this.#isOver) return;
    this.#close();
    this.#opening.reject(failure);
    this.#body?.error(failure);
  }

  #close(): void {
    this.#isOver = true;
    this.#refused?.cancel();
    this.#sent?.destroy();
  }
}

/** Bedrock sends the error type in a header. The other providers send it in the body. */
function refusalText(text: string, head: ResponseHead): string {
  const type = head.header('x-amzn-errortype')?.split(':', 1)[0];
  if (type === undefined) return text;
  return JSON.stringify({ type, ...(objectOf(parsedJson(text)) ?? { message: text }) });
}
