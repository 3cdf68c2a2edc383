import { createHash } from 'node:crypto';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Peers } from '../cluster/peers.ts';
import type { ReplyClaim, ReplyClaims, WholeEnding } from '../cluster/reply-claims.ts';
import type { Clock, Timer } from '../core/clock.ts';
import { type Failpoint, noFailpoint } from '../core/failpoint.ts';
import { within } from '../core/within.ts';
import { RelayedReply } from './relayed-reply.ts';
import { otherBody } from './replays.ts';
import { type ReaderParts, readElsewhere } from './remote-reader.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ServedRequest } from './served-request.ts';
import type { SharedReply } from './shared-reply.ts';

export interface ClaimedRepliesParts {
  readonly clock: Clock;
  readonly claims: ReplyClaims;
  readonly peers: Peers;
  /** Encrypts replies in the store. */
  readonly vault: SecretVault;
  readonly failpoint?: Failpoint;
}

/** A request with an Idempotency-Key. */
export interface NamedRequest extends Pick<ReaderParts, 'signal' | 'errorFrame'> {
  /** Unique per client, endpoint and Idempotency-Key. */
  readonly place: string;
  /** Digest of the body. */
  readonly digest: string;
  readonly served: ServedRequest;
  /** The catalog id of the requested model. */
  readonly model: string;
  readonly reply: SharedReply;
  /** Rejects if its API key is no longer valid. */
  readonly confirm: () => Promise<void>;
}

/** A reply that this process generates. */
interface OwnReply {
  readonly reply: SharedReply;
  /** The claim that could not be written because the store was unreachable. */
  unclaimed: ReplyClaim | undefined;
  /** Writes the reply to the store while a remote reader exists. */
  carrier: RelayedReply | undefined;
  /** The complete reply, until it is recorded in the store. */
  whole: { readonly text: string; readonly ending: WholeEnding } | undefined;
  isRecorded: boolean;
  /** Its client has received the end, but the store has not recorded it. */
  isOver: boolean;
}

/** How often a process with claimed replies looks for remote readers. */
const lookEveryMs = 300;
/** How long a claim waits for an unreachable store. */
const claimTimeoutMs = 2000;
/** How long the end of a complete reply waits for an unreachable store. */
const recordTimeoutMs = 2000;
/** How long `stop` waits for the last writes. */
const farewellMs = 2000;

/**
 * The idempotency claims of all processes. One process generates each reply; another process that receives a retry
 * reads the reply through the store. See docs/decisions/0021-idempotency-claims.md.
 */
export class IdempotencyClaims {
  readonly #parts: ClaimedRepliesParts;
  readonly #own = new Map<string, OwnReply>();
  /** Claims that have ended but are not yet released in the store. */
  readonly #released = new Set<string>();
  readonly #ending = new Set<Promise<unknown>>();
  #looking: Timer | undefined;
  #isStopped = false;

  constructor(parts: ClaimedRepliesParts) {
    this.#parts = parts;
  }

  /** Reads the reply to its end if another process generates it. Resolves with undefined if this process has to. */
  async enter(named: NamedRequest): Promise<ReplyEnd | undefined> {
    const own = claimOf(named, this.#parts.peers.process);
    for (;;) {
      const held = await this.#claim(own, named.signal);
      if (held === 'away') {
        named.served.note('its Idempotency-Key could not be shared with other processes');
        return this.#make(named, own);
      }
      if (held === undefined) return this.#make(named);
      if (held.digest !== own.digest) throw otherBody();
      const end = await this.#read(held, named);
      if (end) return end;
      if (await this.#takeOver(held, own)) {
        named.served.note(`the process that generated its answer is gone: ${held.id}`);
        return this.#make(named);
      }
    }
  }

  /**
   * A reply has ended. A complete one is recorded now or when the store is back; an incomplete one releases its claim.
   */
  ended(id: string, { error, isClientGone }: ReplyEnd): void {
    const own = this.#own.get(id);
    if (!own) return;
    own.isOver = error === undefined && !isClientGone && own.whole !== undefined;
    if (own.isOver && !own.isRecorded) return this.#lookLater();
    this.#own.delete(id);
    if (own.isRecorded) return;
    const { carrier } = own;
    if (carrier?.isEnded !== true || own.unclaimed) return this.#release(id);
    this.#track(carrier.conclude().catch(() => this.#release(id)));
  }

  /** Resolves when all pending writes are done, or after 2 s. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    this.#isStopped = true;
    clock.cancel(this.#looking);
    await within(Promise.allSettled(this.#ending), { clock, timeoutMs: farewellMs }).catch(() => undefined);
  }

  #make({ served, reply }: NamedRequest, unclaimed?: ReplyClaim): undefined {
    const state = { carrier: undefined, whole: undefined, isRecorded: false, isOver: false };
    const own: OwnReply = { reply, unclaimed, ...state };
    this.#released.delete(served.id);
    this.#own.set(served.id, own);
    reply.madeHere((text, ending) => this.#record(served, own, { text, ending }));
    this.#lookLater();
    this.#passes('reply.claimed');
  }

  /** Records a complete reply before its client receives the end, so that other processes find it. */
  async #record(served: ServedRequest, own: OwnReply, whole: NonNullable<OwnReply['whole']>): Promise<void> {
    // Another process may hold the claim by now.
    if (own.unclaimed) return;
    own.whole = whole;
    const recording = this.#tellWhole(served.id, own);
    this.#track(recording);
    try {
      await within(recording, { clock: this.#parts.clock, timeoutMs: recordTimeoutMs });
    } catch {
      served.note('its reply could not be recorded for other processes before its end');
    }
    this.#passes('reply.recorded');
  }

  async #tellWhole(id: string, own: OwnReply): Promise<void> {
    if (!own.whole) return;
    own.carrier ??= this.#carrierOf(id, 0);
    await own.carrier.record(own.whole.text, own.whole.ending);
    own.isRecorded = true;
    own.whole = undefined;
  }

  #passes(name: Parameters<Failpoint>[0]): void {
    (this.#parts.failpoint ?? noFailpoint)(name);
  }

  /** Returns the existing claim of another process, or `away` if the store is unreachable. */
  async #claim(own: ReplyClaim, signal: AbortSignal): Promise<ReplyClaim | 'away' | undefined> {
    const { clock, claims, peers } = this.#parts;
    // If this process is not registered, other processes could not detect its end, and its claims would never be
    // released.
    if (!peers.isKnown) return 'away';
    const claiming = claims.claim(own);
    try {
      return await within(claiming, { clock, timeoutMs: claimTimeoutMs, signal });
    } catch {
      // The claim may still have been written, or may be later.
      if (signal.aborted) this.#release(own.id);
      void claiming.then(
        (held) => held ?? this.#releaseUnlessMade(own.id),
        () => undefined,
      );
      signal.throwIfAborted();
      return 'away';
    }
  }

  /** Releases a claim that was written after its reply ended, because retries would wait for it. */
  #releaseUnlessMade(id: string): void {
    if (!this.#own.has(id)) this.#release(id);
  }

  async #read(held: ReplyClaim, named: NamedRequest): Promise<ReplyEnd | undefined> {
    const { served, reply, model } = named;
    await named.confirm();
    const end = await readElsewhere(held, {
      ...this.#parts,
      ...named,
      target: reply,
      unseal: (sealed) => this.#unseal(held.id, sealed),
      onFirstByte: () => served.answered(),
      signs: reply.madeElsewhere(),
    });
    if (end) served.repeats(held.id, model);
    return end;
  }

  /** Returns false if the claim no longer exists; then the caller claims again. */
  async #takeOver(held: ReplyClaim, own: ReplyClaim): Promise<boolean> {
    const { clock, claims } = this.#parts;
    return within(claims.takeOver(held, own), { clock, timeoutMs: claimTimeoutMs }).catch(() => false);
  }

  #unseal(id: string, sealed: string): string {
    const opened = this.#parts.vault.open(ownerOf(id), sealed);
    if (!opened.ok) throw new Error(`a reply of another process cannot be read: ${opened.reason}`);
    return opened.secret;
  }

  #carry(id: string, own: OwnReply): void {
    own.carrier = this.#carrierOf(id, own.carrier?.told ?? 0);
    void own.reply.follow(own.carrier, () => {});
  }

  #carrierOf(id: string, from: number): RelayedReply {
    const { clock, claims, vault } = this.#parts;
    const seal = (text: string): string => vault.seal(ownerOf(id), text);
    return new RelayedReply({ id, clock, claims, seal, from });
  }

  #release(id: string): void {
    this.#released.add(id);
    this.#track(this.#releaseAll());
    this.#lookLater();
  }

  async #releaseAll(): Promise<void> {
    for (const id of this.#released) {
      const isDone = await this.#parts.claims.release(id).then(
        () => true,
        () => false,
      );
      if (!isDone) return;
      this.#released.delete(id);
    }
  }

  #track(work: Promise<unknown>): void {
    this.#ending.add(work);
    void work.catch(() => undefined).then(() => this.#ending.delete(work));
  }

  #lookLater(): void {
    if (this.#looking || this.#isStopped) return;
    this.#looking = this.#parts.clock.after(lookEveryMs, () => void this.#look());
    this.#looking.unref();
  }

  /** Runs only while this process has claims, so that it costs the store nothing otherwise. */
  async #look(): Promise<void> {
    const { claims, peers } = this.#parts;
    try {
      if (this.#released.size > 0) await this.#releaseAll();
      await this.#claimLate();
      await this.#recordLate();
      if (this.#own.size > 0) this.#follow(await claims.wanted(peers.process));
    } catch {
      // Remote readers wait until the store is back.
    }
    this.#looking = undefined;
    if (this.#own.size + this.#released.size > 0) this.#lookLater();
  }

  /** Writes claims that failed during an outage, unless another process was first. */
  async #claimLate(): Promise<void> {
    const { claims, peers } = this.#parts;
    if (!peers.isKnown) return;
    for (const [id, own] of this.#own) {
      if (!own.unclaimed || (await claims.claim(own.unclaimed))) continue;
      own.unclaimed = undefined;
      this.#releaseUnlessMade(id);
    }
  }

  /** Records replies that ended during an outage, if they are still in the replay buffer. */
  async #recordLate(): Promise<void> {
    for (const [id, own] of this.#own) {
      if (!own.isOver) continue;
      if (own.reply.isKept) await this.#tellWhole(id, own);
      this.#own.delete(id);
      if (!own.isRecorded) this.#release(id);
    }
  }

  #follow(wanted: ReadonlySet<string>): void {
    for (const [id, own] of this.#own) {
      if (own.whole || own.isRecorded) continue;
      if (!wanted.has(id)) own.carrier?.leave();
      else if (!own.reply.isKept) this.#track(this.#parts.claims.tell(id, undefined, { kind: 'untellable' }));
      else if (own.carrier === undefined || own.carrier.gone.aborted) this.#carry(id, own);
    }
  }
}

function claimOf({ place, digest, served }: NamedRequest, process: string): ReplyClaim {
  return { place: createHash('sha256').update(place).digest('hex'), id: served.id, process, digest };
}

/** The vault owner that a piece is sealed for. */
export function ownerOf(id: string): string {
  return `reply ${id}`;
}
