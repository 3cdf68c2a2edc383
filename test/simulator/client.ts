import type { JsonBody, SimpleExchange, SimpleStreamWriter } from '../../src/serving/http/exchange.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ClientReading } from './client-reading.ts';
import type { Machine } from './machine.ts';
import { promptText } from './provider.ts';
import type { Plan } from './plan.ts';
import { constraintFields } from './words.ts';
import type { World } from './world.ts';

/** Receives the events of clients. */
export interface ClientWatch {
  /** The client received a frame or the end. Before that, it could read and received nothing for `silentMs`. */
  received(client: Client, silentMs: number): void;
  /** The end of a complete answer is on its way to the client. */
  done(client: Client): void;
  /** The gateway wrote to the client after the end. */
  wroteAfterEnd(client: Client): void;
}

/** How a reply ended, as its client saw it. */
export type Ending = 'done' | 'error-frame' | 'refused' | 'left' | 'closed';

/** A client with one request. It reads the reply, and may leave or stop reading at any time. */
export class Client implements SimpleExchange {
  readonly isSimpleExchange = true;
  readonly id: string;
  readonly method = 'POST';
  readonly path = '/v1/chat/completions';
  readonly query = new URLSearchParams();
  readonly host = 'gateway.example';
  readonly address = '127.0.0.1';
  readonly isSecure = false;
  readonly plan: Plan;
  readonly #leaving = new AbortController();
  readonly #world: World;
  readonly machine: Machine;
  ending: Ending | undefined;
  endedMs: number | undefined;
  /** When the gateway received the request. A frozen gateway receives it later than the client sent it. */
  arrivedMs = Number.POSITIVE_INFINITY;
  /** The error case, if the request was refused. The client may have left before it received the error. */
  refusal: string | undefined;
  /** All frames that were sent to the client. */
  receivedText = '';
  readonly reading: ClientReading;
  readonly #watch: ClientWatch;

  constructor(plan: Plan, world: World, machine: Machine, watch: ClientWatch) {
    this.plan = plan;
    this.id = plan.id;
    this.#world = world;
    this.machine = machine;
    this.#watch = watch;
    this.reading = new ClientReading(plan, world, machine, () => this.#closeByGateway());
    if (plan.leavesAfterMs !== undefined) world.after(plan.leavesAfterMs, () => this.leave());
  }

  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  header(name: string): string | undefined {
    const { accountId, retryCount, idempotencyKey } = this.plan;
    if (name === 'authorization') return `Bearer ${accountId}`;
    if (name === 'x-stainless-retry-count') return retryCount === undefined ? undefined : String(retryCount);
    return name === 'idempotency-key' ? idempotencyKey : undefined;
  }

  get isGone(): boolean {
    return this.gone.aborted;
  }

  onGone(callback: () => void): void {
    this.gone.addEventListener('abort', callback);
  }

  readJson(): Promise<JsonBody> {
    return Promise.resolve(this.jsonNow());
  }

  readBytes(): Promise<Buffer> {
    return Promise.resolve(Buffer.from(this.jsonNow().text));
  }

  async *readPieces(): AsyncIterable<Buffer> {
    yield await this.readBytes();
  }

  jsonNow(): JsonBody {
    const { model, promptTokens, maxTokens, id, retryOf = id, demands } = this.plan;
    const value = {
      model,
      stream: true,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: promptText(retryOf, promptTokens) }],
      ...constraintFields(demands),
    };
    return { value, text: '', bytes: promptTokens * bytesPerToken, digest: JSON.stringify(value) };
  }

  releaseBody(): void {}

  watchBodies(): void {}

  json(): void {
    this.#end('refused');
  }

  send(): void {
    this.#end('refused');
  }

  fail(error: unknown): void {
    if (this.receivedText !== '') return this.#closeByGateway();
    this.refusal ??= error instanceof GatewayError ? error.case : 'internal-error';
    this.#end('refused');
  }

  openEventStream(): SimpleStreamWriter {
    const end = (frames = ''): void => {
      this.#receive(frames);
      this.#end(this.receivedText.endsWith(endMark) ? 'done' : 'error-frame');
    };
    return {
      write: (frames) => this.#receive(frames),
      writeLatin1: (frames) => this.#receive(frames),
      endLatin1: end,
      onDrain: (callback) => this.reading.onDrain(callback),
      end,
      breakOff: end,
      destroy: () => this.#closeByGateway(),
    };
  }

  /** Closes the connection. The gateway notices this 1 ms later. */
  leave(): void {
    if (this.ending) return;
    this.#end('left');
    this.#world.after(1, () => this.machine.deliver(() => this.#leaving.abort()));
  }

  #receive(frames: string): boolean {
    if (this.ending === 'done' || this.ending === 'error-frame') this.#watch.wroteAfterEnd(this);
    if (this.ending) return false;
    const silentMs = this.#silentMs;
    const isTaken = this.reading.wrote();
    if (isTaken) this.#watch.received(this, silentMs);
    this.receivedText += frames;
    return isTaken;
  }

  /** How long the client could read and has received nothing. */
  get #silentMs(): number {
    return this.reading.isUpToDate ? this.#world.nowMs - this.reading.sinceMs : 0;
  }

  /** The gateway closes the connection. Its disconnect callback runs in a later step. */
  #closeByGateway(): void {
    this.#end('closed');
    this.#world.after(0, () => this.machine.deliver(() => this.#leaving.abort()));
  }

  #end(ending: Ending): void {
    if (this.ending) return;
    this.#watch.received(this, this.#silentMs);
    this.ending = ending;
    this.reading.over();
    this.endedMs = this.#world.nowMs;
    if (ending === 'done') this.#watch.done(this);
  }
}

const bytesPerToken = 4;

/** The last frame of a complete answer. */
export const endMark = 'data: [DONE]\n\n';
