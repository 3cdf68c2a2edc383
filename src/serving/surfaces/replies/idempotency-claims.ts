import { createHash } from 'node:crypto';
import type { SecretVault } from '../../../platform/secrets/secret-vault.ts';
import type { Peers } from '../../../platform/cluster/peers.ts';
import type { ReplyClaim, ReplyClaims } from '../../../platform/cluster/reply-claims.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import { type Failpoint, noFailpoint } from '../../../core/failpoint.ts';
import { storeUnreachable } from '../../../core/time/deadline.ts';
import { delay } from '../../../core/time/delay.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { within } from '../../../core/time/within.ts';
import { ClaimedReply } from './claimed-reply.ts';
import type { RelayedReply, RelayParts } from './relayed-reply.ts';
import { type ReaderParts, RemoteReader } from './remote-reader.ts';
import { otherBody } from './replays.ts';
import type { ReplyEnd } from './reply-reader.ts';

interface IdempotencyClaimsParts {
  readonly clock: Clock;
  readonly claims: ReplyClaims;
  readonly peers: Peers;
  readonly vault: SecretVault;
  readonly failpoint?: Failpoint;
}

export interface IdempotentRequest extends Pick<ReaderParts, 'reply' | 'signal' | 'errorFrame'> {
  /** Unique per client, endpoint and Idempotency-Key. */
  readonly claimKey: string;
  readonly digest: string;
  readonly model: string;
  /** Rejects if its API key is no longer valid. */
  readonly confirm: () => Promise<void>;
}

/** How often a process with claimed replies looks for remote readers. */
const pollEveryMs = 300;
/** How long a claim waits for an unreachable store. Nothing is sent to the client before. */
const claimTimeoutMs = 30_000;
const claimAgainMs = 300;
/** Requests that wait for their claim at once. */
const claimingMax = 10_000;
/** A claim that was given up may still be written this much later, when a stalled store continues. */
const strayMs = 20_000;
const takeOverTimeoutMs = 2000;
/** How long the end of a complete reply waits for an unreachable store. */
const recordTimeoutMs = 2000;
const stopTimeoutMs = 2000;

/** One process generates each reply; others read it through the store (docs/decisions/0021-idempotency-claims.md). */
export class IdempotencyClaims {
  readonly #parts: IdempotencyClaimsParts;
  readonly #failpoint: Failpoint;
  readonly #own = new Map<string, ClaimedReply>();
  /** Replies that no retry can join, but that other processes can read. */
  readonly #readable = new Map<string, RelayedReply>();
  /** Claims to be released in the store, each until this time at least. */
  readonly #released = new Map<string, number>();
  #claiming = 0;
  readonly #ending = new Set<Promise<unknown>>();
  #pollTimer: Timer | undefined;
  #isStopped = false;

  constructor(parts: IdempotencyClaimsParts) {
    this.#parts = parts;
    this.#failpoint = parts.failpoint ?? noFailpoint;
  }

  /**
   * Reads the reply to its end if another process generates it. Resolves with undefined if this process has to. Without
   * the store no process generates it: the request waits, then it is refused.
   */
  async enter(request: IdempotentRequest): Promise<ReplyEnd | undefined> {
    const { clock, claims, peers } = this.#parts;
    const { request: served } = request.reply;
    const own = claimOf(request, peers.process);
    for (;;) {
      const held = await this.#claim(own, request.signal);
      if (held === undefined) return this.#generateHere(request);
      if (held.digest !== own.digest) throw otherBody();
      const end = await this.#read(held, request);
      if (end) return end;
      const taking = within(claims.takeOver(held, own), { clock, timeoutMs: takeOverTimeoutMs }).catch(() => false);
      // If the claim no longer exists, this process claims again.
      if (await taking) {
        served.note(`the process that generated its answer is gone: ${held.id}`);
        return this.#generateHere(request);
      }
    }
  }

  /** Holds a claim while `work` generates its reply, which other processes can read until it ends. */
  async during(
    claim: Pick<ReplyClaim, 'scope' | 'id'>,
    relayed: (parts: RelayParts) => RelayedReply,
    work: () => Promise<void>,
  ): Promise<void> {
    const { claims, peers } = this.#parts;
    const { id } = claim;
    const own = relayed(this.#relayParts(id));
    this.#readable.set(id, own);
    const claiming = claims.claim({ ...claim, process: peers.process, digest: '' });
    this.#track(claiming);
    this.#schedulePoll();
    try {
      await work();
    } finally {
      this.#readable.delete(id);
      own.leave();
      await Promise.allSettled([claiming, own.stop()]);
      this.#release(id);
    }
  }

  /** A complete reply is recorded now or when the store is back; an incomplete one releases its claim. */
  ended(id: string, { error, isClientGone }: ReplyEnd): void {
    const own = this.#own.get(id);
    if (!own) return;
    own.isOver = error === undefined && !isClientGone && own.complete !== undefined;
    if (own.isOver) return this.#schedulePoll();
    this.#own.delete(id);
    if (own.isRecorded) return;
    if (!own.isEnded) return this.#release(id);
    this.#track(own.conclude().catch(() => this.#release(id)));
  }

  /** Resolves when all pending writes are done, or after 2 s. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    this.#isStopped = true;
    clock.cancel(this.#pollTimer);
    await within(Promise.allSettled(this.#ending), { clock, timeoutMs: stopTimeoutMs }).catch(() => undefined);
  }

  #generateHere({ reply }: IdempotentRequest): undefined {
    const { id } = reply.request;
    const own = new ClaimedReply(reply, this.#relayParts(id));
    this.#released.delete(id);
    this.#own.set(id, own);
    reply.setLocal((text, form) => this.#record(own, { text, form }));
    this.#schedulePoll();
    this.#failpoint('reply.claimed');
  }

  #relayParts(id: string): RelayParts {
    const { clock, claims, vault } = this.#parts;
    return { clock, claims, seal: (text) => vault.seal(ownerOf(id), text) };
  }

  /** Records a complete reply before its client receives the end, so that other processes find it. */
  async #record(own: ClaimedReply, complete: NonNullable<ClaimedReply['complete']>): Promise<void> {
    own.complete = complete;
    const recording = own.record();
    this.#track(recording);
    try {
      await within(recording, { clock: this.#parts.clock, timeoutMs: recordTimeoutMs });
    } catch {
      own.reply.request.note('its reply could not be recorded for other processes before its end');
    }
    this.#failpoint('reply.recorded');
  }

  /** Returns the existing claim of another process. Waits for an unreachable store, then rejects with `overloaded`. */
  async #claim(own: ReplyClaim, signal: AbortSignal): Promise<ReplyClaim | undefined> {
    if (this.#claiming >= claimingMax) throw new GatewayError('overloaded');
    this.#claiming += 1;
    try {
      return await this.#claimUntil(this.#parts.clock.elapsed() + claimTimeoutMs, own, signal);
    } catch (error) {
      // The claim may still have been written, or may be later. Retries would wait for it.
      this.#release(own.id, strayMs);
      throw error;
    } finally {
      this.#claiming -= 1;
    }
  }

  async #claimUntil(deadlineMs: number, own: ReplyClaim, signal: AbortSignal): Promise<ReplyClaim | undefined> {
    const { clock, claims, peers } = this.#parts;
    for (let cause: unknown; ; await delay(clock, claimAgainMs)) {
      signal.throwIfAborted();
      const timeoutMs = deadlineMs - clock.elapsed();
      if (timeoutMs <= 0) throw storeUnreachable(cause);
      // If this process is not registered, other processes could not detect its end, and its claims would never be
      // released.
      if (!peers.isKnown) continue;
      try {
        return await within(claims.claim(own), { clock, timeoutMs, signal });
      } catch (error) {
        cause = error;
      }
    }
  }

  async #read(held: ReplyClaim, request: IdempotentRequest): Promise<ReplyEnd | undefined> {
    await request.confirm();
    const unseal = (sealed: string): string => this.unseal(held.id, sealed);
    const end = await new RemoteReader(held, { ...this.#parts, ...request, unseal }).read();
    if (end) request.reply.request.joinRemote(held.id, request.model);
    return end;
  }

  /** A piece of a reply that another process wrote. */
  unseal(id: string, sealed: string): string {
    const opened = this.#parts.vault.open(ownerOf(id), sealed);
    if (!opened.ok) throw new Error(`a reply of another process cannot be read: ${opened.reason}`);
    return opened.secret;
  }

  #release(id: string, forMs = 0): void {
    this.#released.set(id, this.#parts.clock.elapsed() + forMs);
    this.#track(this.#releaseAll());
    this.#schedulePoll();
  }

  async #releaseAll(): Promise<void> {
    for (const [id, untilMs] of this.#released) {
      const isDone = await this.#parts.claims.release(id).then(
        () => true,
        () => false,
      );
      if (!isDone) return;
      if (this.#parts.clock.elapsed() >= untilMs) this.#released.delete(id);
    }
  }

  #track(work: Promise<unknown>): void {
    this.#ending.add(work);
    void work.catch(() => undefined).then(() => this.#ending.delete(work));
  }

  #schedulePoll(): void {
    if (this.#pollTimer || this.#isStopped) return;
    this.#pollTimer = this.#parts.clock.after(pollEveryMs, () => void this.#poll());
    this.#pollTimer.unref();
  }

  /** Runs only while this process has claims, so that it costs the store nothing otherwise. */
  async #poll(): Promise<void> {
    const { claims, peers } = this.#parts;
    try {
      if (this.#released.size > 0) await this.#releaseAll();
      await this.#recordLate();
      if (this.#count > 0) this.#follow(await claims.readElsewhere(peers.process));
    } catch {
      // Remote readers wait until the store is back.
    }
    this.#pollTimer = undefined;
    if (this.#count + this.#released.size > 0) this.#schedulePoll();
  }

  get #count(): number {
    return this.#own.size + this.#readable.size;
  }

  /** Records replies that ended during an outage, if they are still in the replay buffer. */
  async #recordLate(): Promise<void> {
    for (const [id, own] of this.#own) {
      if (!own.isOver) continue;
      if (own.reply.isKept) await own.record();
      this.#own.delete(id);
      if (!own.isRecorded) this.#release(id);
    }
  }

  #follow(readElsewhere: ReadonlySet<string>): void {
    for (const [id, own] of this.#own) {
      if (own.complete || own.isRecorded) continue;
      if (!readElsewhere.has(id)) own.leave();
      else if (!own.reply.isKept) this.#track(this.#parts.claims.tell(id, undefined, { kind: 'untellable' }));
      else own.relay();
    }
    for (const [id, own] of this.#readable) {
      if (readElsewhere.has(id)) own.relay();
      else own.leave();
    }
  }
}

function claimOf({ claimKey, digest, reply }: IdempotentRequest, process: string): ReplyClaim {
  return { scope: createHash('sha256').update(claimKey).digest('hex'), id: reply.request.id, process, digest };
}

export function ownerOf(id: string): string {
  return `reply ${id}`;
}
