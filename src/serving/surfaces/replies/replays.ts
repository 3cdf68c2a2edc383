import type { Caller } from '../../../core/caller.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { ServedRequest } from '../served-request.ts';
import type { ActivitySigns } from './activity-signs.ts';
import type { ReplyEnd } from './reply-reader.ts';

export interface RetryTerms {
  /** The client's key for the request. Another request with the same key is a retry. */
  readonly idempotencyKey: string | undefined;
  readonly isRetry: boolean;
}

/** Undefined without retry headers; then the request is neither compared with others nor kept. */
export function retryTerms(exchange: Pick<Exchange, 'header'>): RetryTerms | undefined {
  const key = exchange.header('idempotency-key') || undefined;
  const count = exchange.header('x-stainless-retry-count');
  if (key === undefined && !/^\d{1,4}$/.test(count ?? '')) return undefined;
  return { idempotencyKey: key, isRetry: Number(count ?? 0) > 0 };
}

/** The data that decides whether a request is a retry of another. */
export interface ReplayRequest {
  readonly caller: Caller;
  readonly path: string;
  readonly terms: RetryTerms;
  readonly digest: string;
}

export interface JoinableReply {
  readonly request: ServedRequest;
  readonly hasReaders: boolean;
  /** From now on keeps its frames, as long as the buffer has room. */
  keepIn(buffer: ReplayBuffer): void;
  /** Set while another process generates it. */
  readonly signs?: ActivitySigns | undefined;
  /** Sends a retry all frames from the start, then live ones. Only while its frames are kept. */
  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd>;
  /** Drops the kept frames. Current readers continue. */
  forget(): void;
  /** Ends the reply: it has no reader and waits for none. */
  abandon(): void;
}

const usualLimits = {
  repliesMax: 2000,
  /** Per reply; a longer one cannot be joined. */
  charactersMax: 1024 * 1024,
  /** All replies together. */
  allCharactersMax: 32 * 1024 * 1024,
  /** How long a completed reply is kept. */
  keepMs: 120_000,
  /** How long a reply with an Idempotency-Key continues after its client left. */
  lingerMs: 10_000,
};

type ReplayLimits = Readonly<typeof usualLimits>;

/** The replies of this process that a retry may join: running ones, and those that completed recently. */
export class Replays {
  readonly limits: ReplayLimits;
  readonly #clock: Clock;
  readonly #buffers = new Map<string, ReplayBuffer>();
  /** Buffers of completed replies, oldest first, with their expiry. */
  readonly #finished = new Map<ReplayBuffer, number>();
  #characters = 0;
  #sweeping: Timer | undefined;

  constructor(clock: Clock, limits: ReplayLimits = usualLimits) {
    this.#clock = clock;
    this.limits = limits;
  }

  /** Returns the reply that this request may join. If there is none, `own` is kept for retries. */
  enter(request: ReplayRequest, own: JoinableReply): JoinableReply | undefined {
    this.#evictExpired();
    const key = replayKey(request);
    const earlier = this.#buffers.get(key);
    const { idempotencyKey, isRetry } = request.terms;
    if (earlier && earlier.digest !== request.digest) throw otherBody();
    if (earlier && !earlier.frames) throw answerInProgress('Its response is too long to be replayed.');
    if (earlier && (idempotencyKey !== undefined || isRetry)) return earlier.reply;
    earlier?.reply.forget();
    if (this.#buffers.size >= this.limits.repliesMax && !this.#evictOldest()) return undefined;
    const buffer = new ReplayBuffer(this, key, own, request);
    this.#buffers.set(key, buffer);
    own.keepIn(buffer);
    return undefined;
  }

  stop(): void {
    this.#clock.cancel(this.#sweeping);
    for (const { reply } of this.#buffers.values()) if (!reply.hasReaders) reply.abandon();
  }

  /** Reserves space for more characters of a reply. Returns false if there is none. */
  reserve(characters: number): boolean {
    while (this.#characters + characters > this.limits.allCharactersMax) if (!this.#evictOldest()) return false;
    this.#characters += characters;
    return true;
  }

  /** The frames of the buffer were dropped. A running reply keeps its Idempotency-Key, so that no other runs under it. */
  release(buffer: ReplayBuffer, characters: number): void {
    this.#characters -= characters;
    const isOver = this.#finished.delete(buffer);
    if (isOver || !buffer.hasIdempotencyKey) this.remove(buffer);
  }

  keep(buffer: ReplayBuffer): void {
    this.#finished.set(buffer, this.#clock.elapsed() + this.limits.keepMs);
    this.#sweepLater();
  }

  remove(buffer: ReplayBuffer): void {
    if (this.#buffers.get(buffer.key) === buffer) this.#buffers.delete(buffer.key);
  }

  #evictExpired(): void {
    for (const [{ reply }, until] of this.#finished) {
      if (until > this.#clock.elapsed()) return;
      reply.forget();
    }
  }

  #evictOldest(): boolean {
    const [oldest] = this.#finished.keys();
    oldest?.reply.forget();
    return oldest !== undefined;
  }

  /** Frees memory even without further requests. */
  #sweepLater(): void {
    if (this.#sweeping) return;
    this.#sweeping = this.#clock.after(this.limits.keepMs, () => {
      this.#sweeping = undefined;
      this.#evictExpired();
      if (this.#finished.size > 0) this.#sweepLater();
    });
    this.#sweeping.unref();
  }
}

export class ReplayBuffer {
  readonly key: string;
  readonly reply: JoinableReply;
  readonly digest: string;
  readonly hasIdempotencyKey: boolean;
  /** Undefined after they were dropped. */
  frames: string[] | undefined = [];
  readonly #replays: Replays;
  #characters = 0;

  constructor(replays: Replays, key: string, reply: JoinableReply, { digest, terms }: ReplayRequest) {
    this.#replays = replays;
    this.key = key;
    this.reply = reply;
    this.digest = digest;
    this.hasIdempotencyKey = terms.idempotencyKey !== undefined;
  }

  /** Whether the reply with this many more characters stays under the limit of one reply. */
  fits(characters: number): boolean {
    return this.#characters + characters <= this.#replays.limits.charactersMax;
  }

  add(piece: string): boolean {
    if (!this.frames || !this.fits(piece.length) || !this.#replays.reserve(piece.length)) return false;
    this.#characters += piece.length;
    this.frames.push(piece);
    return true;
  }

  drop(): void {
    this.frames = undefined;
    this.#replays.release(this, this.#characters);
    this.#characters = 0;
  }

  /** The reply has ended. It is kept for a while, unless its frames were dropped. */
  finish(): void {
    if (this.frames) this.#replays.keep(this);
    else this.#replays.remove(this);
  }
}

/** Includes key, site and path, so that a reply is replayed only to the same key at the same endpoint. */
export function replayKey({ caller, path, terms, digest }: ReplayRequest): string {
  const { idempotencyKey } = terms;
  if (idempotencyKey !== undefined && idempotencyKey.length > keyCharactersMax) throw keyTooLong();
  const name = idempotencyKey === undefined ? ['body', digest] : ['key', idempotencyKey];
  return [caller.key.keyId, caller.site, path, ...name].join('\0');
}

const keyCharactersMax = 255;

function keyTooLong(): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `The Idempotency-Key header is longer than ${keyCharactersMax} characters. Send a shorter one.`,
  });
}

export function otherBody(): GatewayError {
  return new GatewayError('invalid-request', {
    detail:
      'The Idempotency-Key header was sent a moment ago with another body. Send the same body, or another key for another request.',
  });
}

/** The error for a retry whose answer is in progress but cannot be shared. A second answer is never generated. */
export function answerInProgress(why: string): GatewayError {
  const detail = `A request with the same Idempotency-Key is still in progress. ${why} Try again in a moment.`;
  return new GatewayError('answer-under-way', { detail });
}
