import type { Exchange, SimpleExchange } from '../../src/serving/http/exchange.ts';

/** A client that accepts `capacity` characters. Then it applies backpressure until `drain()`. */
export class FakeClient {
  seen = '';
  isEnded = false;
  isBehind = false;
  /** Called when the end has arrived. */
  onEnded: () => void = () => {};
  /** If set, every write throws it. */
  writeError: Error | undefined;
  readonly failures: unknown[] = [];
  /** The additional headers of a complete body. */
  headers: readonly string[] = [];
  readonly #capacity: number;
  readonly #leaving = new AbortController();
  #onDrain: () => void = () => {};
  #room: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#room = capacity;
  }

  get isThere(): boolean {
    return !this.#leaving.signal.aborted;
  }

  leave(): void {
    this.#leaving.abort();
  }

  drain(): void {
    if (!this.isBehind) return;
    this.isBehind = false;
    this.#room = this.#capacity;
    this.#onDrain();
  }

  get exchange(): Exchange {
    const take = (frames: string): boolean => {
      if (this.writeError) throw this.writeError;
      if (!this.isThere) return false;
      this.seen += frames;
      this.#room -= frames.length;
      this.isBehind = this.#room < 0;
      return !this.isBehind;
    };
    const fail = (error: unknown): void => void this.failures.push(error);
    const writer = {
      write: take,
      onDrain: (callback: () => void) => void (this.#onDrain = callback),
      end: (frames = '') => {
        take(frames);
        this.isEnded = true;
        this.onEnded();
      },
      breakOff: (frames: string) => writer.end(frames),
      destroy: () => this.leave(),
    };
    const send: Exchange['send'] = (_status, _contentType, body, headers = []) => {
      this.headers = headers;
      writer.end(String(body));
    };
    const exchange = { id: 'r', gone: this.#leaving.signal, openEventStream: () => writer, fail, send };
    return exchange as unknown as Exchange;
  }

  /** The same as a simple exchange. Only for ASCII text. */
  get simpleExchange(): SimpleExchange {
    const { exchange } = this;
    const writer = exchange.openEventStream();
    const latin1 = { writeLatin1: writer.write, endLatin1: writer.end };
    const onGone = (callback: () => void): void => exchange.gone.addEventListener('abort', callback);
    return {
      ...exchange,
      isSimpleExchange: true,
      onGone,
      openEventStream: () => ({ ...writer, ...latin1 }),
    } as SimpleExchange;
  }
}
