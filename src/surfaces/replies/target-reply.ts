import type { EventStreamWriter } from '../../http/exchange.ts';
import type { SessionReply } from '../answer-session.ts';
import type { ReplyTarget } from './reply-target.ts';

/** A reply as a stream. The status leaves with the first frame. */
export class StreamReply implements SessionReply {
  readonly #target: ReplyTarget;
  readonly #contentType: string | undefined;
  #onDrain: () => void = () => {};
  #writer: EventStreamWriter | undefined;

  /** Without a content type it is an event stream of the gateway's own frames. */
  constructor(target: ReplyTarget, contentType?: string) {
    this.#target = target;
    this.#contentType = contentType;
  }

  get hasBegun(): boolean {
    return this.#writer !== undefined;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  write(frames: string): boolean {
    return this.#open().write(frames);
  }

  prepareEnd(lastFrames: string): Promise<void> | undefined {
    return this.#target.recorded?.(lastFrames, { kind: 'stream' });
  }

  end(lastFrames: string): void {
    this.#open().end(lastFrames);
  }

  breakOff(frames: string, errorFrame: string, error: unknown): void {
    this.#open().breakOff(frames + errorFrame, error);
  }

  fail(error: unknown): void {
    this.#target.fail(error);
  }

  destroy(error: unknown): void {
    destroyTarget(this.#target, error);
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#writer = this.#target.openEventStream(this.#contentType);
    this.#writer.onDrain(() => this.#onDrain());
    return this.#writer;
  }
}

/** A reply as one JSON body. Nothing is sent before its end, so an error has its own status. */
export class JsonReply implements SessionReply {
  readonly hasBegun = false;
  readonly #target: ReplyTarget;

  constructor(target: ReplyTarget) {
    this.#target = target;
  }

  onDrain(): void {}

  write(): boolean {
    return true;
  }

  prepareEnd(body: string): Promise<void> | undefined {
    return this.#target.recorded?.(body, { kind: 'body', status: 200, contentType: 'application/json' });
  }

  end(body: string): void {
    this.#target.send(200, 'application/json', body);
  }

  breakOff(_frames: string, _errorFrame: string, error: unknown): void {
    this.#target.fail(error);
  }

  fail(error: unknown): void {
    this.#target.fail(error);
  }

  destroy(error: unknown): void {
    destroyTarget(this.#target, error);
  }
}

/** The first attempt to send the error has failed, so only the connection is left to close. */
function destroyTarget(target: ReplyTarget, error: unknown): void {
  try {
    target.fail(error);
  } catch {
    // Nothing more can be sent; the client only sees the connection end.
  }
}
