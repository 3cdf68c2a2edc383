import type { Clock, Timer } from '../../core/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import type { TransportFault } from '../http1/transport-fault.ts';
import type { ResponseHead } from '../http1/response-head.ts';
import { refusal } from '../refusal.ts';
import { retryAfterMs } from '../retry-after.ts';
import { transportError } from '../transport-error.ts';
import { WholeBody } from '../whole-body.ts';

/** Whose response it is, for errors that name it and hide its secrets. */
export interface BridgeAddressee {
  readonly upstream: string;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

interface BridgeListener {
  /** The request has gone out. */
  sent(): void;
  /** The provider has refused it; its reason may still be to come. */
  refused(): void;
  /** What an answer is written in; anything if not said. */
  readonly contentType?: string | undefined;
  resolve(response: Response): void;
  reject(failure: GatewayError): void;
  pause(): void;
  resume(): void;
  close(): void;
}

const refusalBytesMax = 64 * 1024;
/** A refusal is worth a short wait for its reason. */
const refusalTimeoutMs = 2000;
/** More than any event of an answer has. Packages keep an unfinished event in memory, however long it gets. */
const eventBytesMax = 32 * 1024 * 1024;

/**
 * One HTTP response as the `Response` a provider package expects. A refusal never gets that far: it becomes the error
 * it is for every other upstream.
 */
export class BridgeResponse implements ResponseHandler {
  readonly #addressee: BridgeAddressee;
  readonly #listener: BridgeListener;
  #status = 0;
  #errorType: string | undefined;
  #retryAfter: string | undefined;
  #refused: WholeBody | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #timer: Timer | undefined;
  #unreadBytes = 0;
  #isOver = false;

  constructor(addressee: BridgeAddressee, listener: BridgeListener) {
    this.#addressee = addressee;
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
      return this.#fail(failed(`it answered with ${type || 'no content type'} instead of an answer`));
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
      return this.#fail(failed(`an event of its answer is larger than ${eventBytesMax} bytes`));
    }
    // The bytes lie in a buffer that will be used again.
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

  /** Nobody waits for it any more. */
  abandon(): void {
    this.#fail(failed('the call is over'));
  }

  /** A package would read any text as an answer, a page of a proxy too. */
  #isExpected(type: string | undefined): boolean {
    const { contentType } = this.#listener;
    return contentType === undefined || type?.split(';', 1)[0]?.trim().toLowerCase() === contentType;
  }

  #refuse(head: ResponseHead): void {
    this.#errorType = head.header('x-amzn-errortype')?.split(':', 1)[0];
    this.#retryAfter = head.header('retry-after');
    this.#refused = new WholeBody(refusalBytesMax);
    this.#timer = this.#addressee.clock.after(refusalTimeoutMs, () => this.#fail(this.#refusal()));
  }

  #keep(refused: WholeBody, bytes: Buffer): void {
    refused.push(bytes);
    if (refused.isTooLarge) this.#fail(this.#refusal());
  }

  #refusal(text = this.#refused?.text() ?? ''): GatewayError {
    const waitMs = retryAfterMs(this.#retryAfter, this.#addressee.clock.now());
    return refusal(this.#addressee, this.#status, withType(text, this.#errorType), waitMs);
  }

  #fail(failure: GatewayError): void {
    if (this.#isOver) return;
    this.#close();
    this.#listener.reject(failure);
    this.#body?.error(failure);
  }

  #close(): void {
    this.#isOver = true;
    this.#addressee.clock.cancel(this.#timer);
    this.#listener.close();
  }
}

/** One provider says in a header what the others say in the body. */
function withType(text: string, type: string | undefined): string {
  if (type === undefined) return text;
  try {
    return JSON.stringify({ type, ...JSON.parse(text) });
  } catch {
    return JSON.stringify({ type, message: text });
  }
}

function failed(message: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(message) });
}
