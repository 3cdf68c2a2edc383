import type { JsonBody, PlainExchange, PlainStreamWriter } from '../../src/http/exchange.ts';
import { GatewayError } from '../../src/core/gateway-error.ts';
import { ReaderWatch } from '../../src/http/reader-watch.ts';
import type { Machine } from './machine.ts';
import { promptText } from './provider.ts';
import { type Demand, demanded } from './words.ts';
import type { World } from './world.ts';

/** One request as its client plans it. */
export interface Plan {
  readonly id: string;
  readonly atMs: number;
  readonly accountId: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** What the answer has to be, if anything is demanded of it. */
  readonly demands?: Demand | undefined;
  /** Leaves after so much time, whatever it has got by then. */
  readonly leavesAfterMs?: number | undefined;
  /** Reads so many frames and then no more, without leaving. */
  readonly stopsReadingAfter?: number | undefined;
}

/** How a reply ended, as its client saw it. */
export type Ending = 'done' | 'error-frame' | 'refused' | 'left' | 'cut';

/** A client with one request: it reads what comes, and may leave or stop reading at any time. */
export class Client implements PlainExchange {
  readonly isPlain = true;
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
  readonly #machine: Machine;
  ending: Ending | undefined;
  endedMs: number | undefined;
  /** The case it was refused with, if it was. */
  refusal: string | undefined;
  frames = 0;
  #last = '';
  /** As on a real connection: a reader that takes nothing is let go after a while. */
  readonly #reader: ReaderWatch;

  constructor(plan: Plan, world: World, machine: Machine) {
    this.plan = plan;
    this.id = plan.id;
    this.#world = world;
    this.#machine = machine;
    const stalled = (): void => this.#cut();
    this.#reader = new ReaderWatch({ clock: machine.clock, stallMs, taken: () => this.#taken, stalled });
    if (plan.leavesAfterMs !== undefined) world.after(plan.leavesAfterMs, () => this.leave());
  }

  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  header(name: string): string | undefined {
    return name === 'authorization' ? `Bearer ${this.plan.accountId}` : undefined;
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

  jsonNow(): JsonBody {
    const { model, promptTokens, maxTokens, id, demands } = this.plan;
    const value = {
      model,
      stream: true,
      max_tokens: maxTokens,
      messages: [{ role: 'user', content: promptText(id, promptTokens) }],
      ...demanded(demands),
    };
    return { value, text: '', bytes: promptTokens * bytesPerToken, digest: undefined };
  }

  letBodyGo(): void {}

  watchBodies(): void {}

  json(): void {
    this.#end('refused');
  }

  send(): void {
    this.#end('refused');
  }

  fail(error: unknown): void {
    if (!this.ending) this.refusal = error instanceof GatewayError ? error.case : 'internal-error';
    this.#end('refused');
  }

  openEventStream(): PlainStreamWriter {
    const end = (frames = ''): void => {
      this.#read(frames);
      this.#end(this.#last.endsWith('data: [DONE]\n\n') ? 'done' : 'error-frame');
    };
    return {
      write: (frames) => this.#read(frames),
      writeLatin1: (frames) => this.#read(frames),
      endLatin1: end,
      onDrain: () => {},
      end,
      breakOff: (frames) => {
        this.#read(frames);
        this.#end('error-frame');
      },
      destroy: () => this.#cut(),
    };
  }

  /** It closes its connection; the gateway hears of it a moment later. */
  leave(): void {
    if (this.ending) return;
    this.#end('left');
    this.#world.after(1, () => this.#machine.deliver(() => this.#leaving.abort()));
  }

  get #taken(): number {
    return Math.min(this.frames, this.plan.stopsReadingAfter ?? Number.POSITIVE_INFINITY);
  }

  #read(frames: string): boolean {
    if (this.ending) return false;
    this.frames += 1;
    this.#last = frames;
    const isTaken = this.frames <= this.#taken;
    if (!isTaken) this.#reader.wrote();
    return isTaken;
  }

  /** The gateway closes the connection. */
  #cut(): void {
    this.#end('cut');
    this.#leaving.abort();
  }

  #end(ending: Ending): void {
    if (this.ending) return;
    this.ending = ending;
    this.#reader.drained();
    this.endedMs = this.#world.nowMs;
  }
}

const bytesPerToken = 4;

/** The default of `limits.reader_stall_timeout`. */
const stallMs = 60_000;
