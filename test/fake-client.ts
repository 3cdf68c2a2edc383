import type { Exchange, SimpleExchange } from '../src/http/exchange.ts';

/** A client that takes so many characters at once and then has to catch up. */
export class FakeClient {
  seen = '';
  isEnded = false;
  isBehind = false;
  /** Called when it has the end. */
  onEnded: () => void = () => {};
  /** Thrown at whoever writes to it. */
  mistake: Error | undefined;
  readonly failures: unknown[] = [];
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
      if (this.mistake) throw this.mistake;
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
    const send = (_status: number, _contentType: string, body: string): void => writer.end(body);
    const shown = { id: 'r', gone: this.#leaving.signal, openEventStream: () => writer, fail, send };
    return shown as unknown as Exchange;
  }

  /** The same, for who needs nothing that has to be waited for; text of ASCII alone. */
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
