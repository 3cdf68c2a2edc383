import type { EventStreamWriter, Exchange, Explanation, JsonBody } from '../../http/exchange.ts';
import { parseJson } from '../../http/body/json-body.ts';
import type { HttpLimits } from '../../http/limits.ts';

export interface LineRequest {
  readonly id: string;
  readonly path: string;
  readonly host: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  readonly gone: AbortSignal;
  /** Whether its reply is a stream, whose frames readers get elsewhere. */
  readonly isStreamed: boolean;
}

interface LineContext {
  readonly limits: HttpLimits;
  readonly explain: (error: unknown) => Explanation;
}

/** The exchange of a request without a socket: a line of a batch, or a response in the background. */
export class LineExchange implements Exchange {
  readonly method = 'POST';
  readonly query = new URLSearchParams();
  readonly isSecure = false;
  readonly #request: LineRequest;
  readonly #context: LineContext;
  /** The error of the reply, if it failed. */
  error: unknown;
  reply: { readonly status: number; readonly body: string } | undefined;

  constructor(request: LineRequest, context: LineContext) {
    this.#request = request;
    this.#context = context;
  }

  get id(): string {
    return this.#request.id;
  }

  get path(): string {
    return this.#request.path;
  }

  get host(): string {
    return this.#request.host;
  }

  get address(): string {
    return this.#request.address;
  }

  get gone(): AbortSignal {
    return this.#request.gone;
  }

  header(name: string): string | undefined {
    return this.#request.headers[name.toLowerCase()];
  }

  async readJson(): Promise<JsonBody> {
    const bytes = Buffer.from(this.#request.body);
    return { ...(await parseJson(bytes, this.#context.limits)), bytes: bytes.length, digest: undefined };
  }

  readBytes(): Promise<Buffer> {
    return Promise.resolve(Buffer.from(this.#request.body));
  }

  async *readPieces(): AsyncIterable<Buffer> {
    yield await this.readBytes();
  }

  json(status: number, value: unknown): void {
    this.send(status, 'application/json', JSON.stringify(value));
  }

  send(status: number, _contentType: string, body: string | Buffer): void {
    this.reply ??= { status, body: body.toString() };
  }

  fail(error: unknown): void {
    if (this.reply) return;
    this.error = error;
    this.reply = this.#context.explain(error);
  }

  /** Every line of a batch is refused that asks for a stream. */
  openEventStream(): EventStreamWriter {
    if (!this.#request.isStreamed) throw new Error('a line of a batch has no event stream');
    return {
      write: () => true,
      onDrain() {},
      end: () => this.send(200, 'text/event-stream', ''),
      breakOff: (_, error) => this.fail(error),
      destroy: () => this.fail(new Error('the stream was closed')),
    };
  }

  /** The bodies of lines are in files already. */
  watchBodies(): void {}
}
