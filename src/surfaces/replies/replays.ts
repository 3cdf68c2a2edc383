import type { Caller } from '../../core/caller.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { answerInProgress } from './answer-in-progress.ts';
import type { JoinableReply, ReplayBuffer } from './joinable-reply.ts';
import type { RetryTerms } from './retry-terms.ts';

/** The data that decides whether a request is a retry of another. */
export interface ReplayRequest {
  readonly caller: Caller;
  readonly path: string;
  readonly terms: RetryTerms;
  /** Digest of the body. */
  readonly digest: string;
}

/** The replies of this process that a retry may join: running ones, and those that completed recently. */
export interface Replays {
  /** Returns the reply that this request may join. If there is none, `own` is kept for retries. */
  enter(request: ReplayRequest, own: JoinableReply): JoinableReply | undefined;
  /** How long a reply with an Idempotency-Key continues after its client left. */
  readonly lingerMs: number;
  /** Ends replies without readers. */
  stop(): void;
}

export interface ReplayLimits {
  readonly repliesMax: number;
  /** Per reply; a longer one cannot be joined. */
  readonly charactersMax: number;
  /** All replies together. */
  readonly allCharactersMax: number;
  /** How long a completed reply is kept. */
  readonly keepMs: number;
  readonly lingerMs: number;
}

const usualLimits: ReplayLimits = {
  repliesMax: 2000,
  charactersMax: 1024 * 1024,
  allCharactersMax: 32 * 1024 * 1024,
  keepMs: 120_000,
  lingerMs: 10_000,
};

/** The buffer space of all replies. */
interface BufferSpace {
  take(entry: ReplayEntry, characters: number): boolean;
  fits(entry: ReplayEntry, characters: number): boolean;
  clear(entry: ReplayEntry): void;
  remove(entry: ReplayEntry): void;
  finish(entry: ReplayEntry): void;
}

/** A reply and its share of the buffer space. */
class ReplayEntry implements ReplayBuffer {
  readonly key: string;
  readonly reply: JoinableReply;
  readonly digest: string;
  /** Whether it has an Idempotency-Key. Then no other reply may run under it. */
  readonly hasIdempotencyKey: boolean;
  characters = 0;
  /** Its frames were dropped, but the reply still runs. */
  isDropped = false;
  readonly #space: BufferSpace;

  constructor(space: BufferSpace, key: string, reply: JoinableReply, { digest, terms }: ReplayRequest) {
    this.#space = space;
    this.key = key;
    this.reply = reply;
    this.digest = digest;
    this.hasIdempotencyKey = terms.idempotencyKey !== undefined;
  }

  take(characters: number): boolean {
    return this.#space.take(this, characters);
  }

  fits(characters: number): boolean {
    return this.#space.fits(this, characters);
  }

  clear(): void {
    this.#space.clear(this);
  }

  leave(): void {
    this.#space.remove(this);
  }

  finish(): void {
    this.#space.finish(this);
  }
}

export function replays(clock: Clock, limits: ReplayLimits = usualLimits): Replays {
  const entries = new Map<string, ReplayEntry>();
  /** Completed replies, oldest first, with their expiry. */
  const finished = new Map<ReplayEntry, number>();
  let characters = 0;
  let sweeping: Timer | undefined;

  function evictExpired(): void {
    for (const [{ reply }, until] of finished) {
      if (until > clock.elapsed()) return;
      reply.forget();
    }
  }

  /** Frees memory even without further requests. */
  function sweepLater(): void {
    if (sweeping) return;
    sweeping = clock.after(limits.keepMs, () => {
      sweeping = undefined;
      evictExpired();
      if (finished.size > 0) sweepLater();
    });
    sweeping.unref();
  }

  /** Evicts the oldest completed reply. Returns false if there is none. */
  function evictOldest(): boolean {
    const [oldest] = finished.keys();
    if (!oldest) return false;
    finished.delete(oldest);
    oldest.reply.forget();
    return true;
  }

  const space: BufferSpace = {
    fits: (entry, more) => entry.characters + more <= limits.charactersMax,
    take(entry, more) {
      if (!space.fits(entry, more)) return false;
      while (characters + more > limits.allCharactersMax) if (!evictOldest()) return false;
      entry.characters += more;
      characters += more;
      return true;
    },
    clear(entry) {
      characters -= entry.characters;
      entry.characters = 0;
      entry.isDropped = true;
      const isOver = finished.delete(entry);
      if (isOver || !entry.hasIdempotencyKey) space.remove(entry);
    },
    remove(entry) {
      if (entries.get(entry.key) === entry) entries.delete(entry.key);
    },
    finish(entry) {
      finished.set(entry, clock.elapsed() + limits.keepMs);
      sweepLater();
    },
  };

  return {
    lingerMs: limits.lingerMs,
    enter(request, own) {
      evictExpired();
      const key = replayKey(request);
      const earlier = entries.get(key);
      const { idempotencyKey, isRetry } = request.terms;
      if (earlier && earlier.digest !== request.digest) throw otherBody();
      if (earlier?.isDropped) throw answerInProgress('Its response is too long to be replayed.');
      if (earlier && (idempotencyKey !== undefined || isRetry)) return earlier.reply;
      earlier?.reply.forget();
      if (entries.size >= limits.repliesMax && !evictOldest()) return undefined;
      const entry = new ReplayEntry(space, key, own, request);
      entries.set(key, entry);
      own.keepOn(entry);
      return undefined;
    },
    stop() {
      clock.cancel(sweeping);
      for (const { reply } of entries.values()) if (!reply.hasReaders) reply.abandon();
    },
  };
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

/** The error for two different bodies with one Idempotency-Key. */
export function otherBody(): GatewayError {
  return new GatewayError('invalid-request', {
    detail:
      'The Idempotency-Key header was sent a moment ago with another body. Send the same body, or another key for another request.',
  });
}
