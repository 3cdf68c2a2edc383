import { AnsweringExchange, type ExchangeContext } from '../answering-exchange.ts';
import { bodyDigestNow } from '../body/body-digest.ts';
import type { ClientConnection } from '../client-connection.ts';
import type { JsonBody, SimpleExchange } from '../exchange.ts';
import { hostName } from '../host-name.ts';
import { checkEncoding, checkJsonHeaders, type ParsedJson, parseJsonNow } from '../body/json-body.ts';
import type { SimpleHead } from './simple-head.ts';
import { SimpleReply, type ReplyConnection } from './simple-reply.ts';
import { runRoute } from '../route.ts';
import type { WorkScheduler } from '../load/work-scheduler.ts';

/** The connection of a simple exchange. */
export interface SimpleExchangeConnection extends ReplyConnection {
  readonly connection: ClientConnection;
  /** Whether more data has arrived after the request. */
  readonly hasMore: boolean;
}

/** The parts that simple exchanges share. */
export interface SocketExchangeContext extends ExchangeContext {
  /** Spreads the start of their routes over event-loop turns. */
  readonly workScheduler: WorkScheduler;
}

/** One request that was read completely from the socket; its reply is written directly to the socket. */
export class SocketExchange extends AnsweringExchange implements SimpleExchange {
  readonly isSimpleExchange = true;
  readonly isReceiving = false;
  readonly isDelayedByGateway = false;
  protected readonly reply: SimpleReply;
  readonly #context: SocketExchangeContext;
  readonly #simpleConnection: SimpleExchangeConnection;
  readonly #head: SimpleHead;
  #body: Buffer | undefined;
  #parsed: ParsedJson | undefined;

  constructor(context: SocketExchangeContext, connection: SimpleExchangeConnection, head: SimpleHead, body: Buffer) {
    super(context, connection.connection, head.route.method, head.route.path);
    this.#context = context;
    this.#simpleConnection = connection;
    this.#head = head;
    this.#body = body;
    this.reply = new SimpleReply(connection, this);
  }

  get host(): string {
    return hostName(this.#head.headers.get('host'));
  }

  get query(): URLSearchParams {
    return new URLSearchParams();
  }

  header(name: string): string | undefined {
    return this.#head.headers.get(name.toLowerCase());
  }

  jsonNow({ withDigest }: { readonly withDigest: boolean }): JsonBody | undefined {
    const { headers } = this.#head;
    const bytes = this.#body;
    if (!bytes) return undefined;
    checkJsonHeaders(headers.get('content-type'), headers.get('content-encoding'));
    this.#parsed ??= parseJsonNow(bytes, this.#context.options.limits);
    const { text, value, hasLongNumbers } = this.#parsed;
    const digest = withDigest ? bodyDigestNow(bytes) : undefined;
    return { text, value, hasLongNumbers, bytes: bytes.length, digest };
  }

  async readJson({ withDigest = false }: { party?: string; withDigest?: boolean } = {}): Promise<JsonBody> {
    if (this.#body) this.bodyWatch?.received(this.#body);
    const body = this.jsonNow({ withDigest });
    if (!body) throw new Error('A body can be read only once.');
    this.releaseBody();
    return body;
  }

  async readBytes(): Promise<Buffer> {
    const bytes = this.#body;
    if (!bytes) throw new Error('A body can be read only once.');
    this.bodyWatch?.received(bytes);
    checkEncoding(this.#head.headers.get('content-encoding'));
    this.releaseBody();
    return bytes;
  }

  releaseBody(): void {
    this.#body = undefined;
    this.#parsed = undefined;
  }

  begin(): void {
    this.#context.workScheduler.pass(() => {
      // The client may have left in the meantime, or the exchange may have been rejected.
      if (!this.isOver) runRoute(this.#head.route, this, {});
    });
  }

  /** Nothing to do: the complete body has arrived. */
  breakBody(): void {}

  protected get isFollowed(): boolean {
    return this.#simpleConnection.hasMore;
  }
}
