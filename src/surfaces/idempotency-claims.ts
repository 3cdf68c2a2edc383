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
  /** What was said is nobody's business who reads the store. */
  readonly vault: SecretVault;
  readonly failpoint?: Failpoint;
}

/** A request whose client has named it. */
export interface NamedRequest extends Pick<ReaderParts, 'signal' | 'errorFrame'> {
  /** Nobody but the same client, at the same endpoint, has the same. */
  readonly place: string;
  /** Of the body's bytes. */
  readonly digest: string;
  readonly served: ServedRequest;
  /** The catalog id of what it asks for. */
  readonly model: string;
  readonly reply: SharedReply;
  /** Rejects if its key does not count any more. */
  readonly confirm: () => Promise<void>;
}

/** A reply that is made here. */
interface OwnReply {
  readonly reply: SharedReply;
  /** What is still to be claimed, where the store could not be asked. */
  unclaimed: ReplyClaim | undefined;
  /** Tells the store, while somebody reads elsewhere. */
  carrier: RelayedReply | undefined;
  /** What is to be recorded of it, from when it was whole until the store has it. */
  whole: { readonly text: string; readonly ending: WholeEnding } | undefined;
  isRecorded: boolean;
  /** Its client has the end, and the store does not know it yet. */
  isOver: boolean;
}

/** How often a process that makes named replies looks who reads them elsewhere. */
const lookEveryMs = 300;
/** Who claims waits no longer than this for a store that is away. */
const claimTimeoutMs = 2000;
/** The end of a whole reply waits no longer than this for a store that is away. */
const recordTimeoutMs = 2000;
/** How long the last words may take when the process ends. */
const farewellMs = 2000;

/**
 * The replies that their clients have named, over all processes of the service: one process makes each, and whoever is
 * asked for it elsewhere reads it through the store. See docs/decisions/0021-idempotency-claims.md.
 */
export class IdempotencyClaims {
  readonly #parts: ClaimedRepliesParts;
  readonly #own = new Map<string, OwnReply>();
  /** Claims that are over, and of which the store does not know it yet. */
  readonly #released = new Set<string>();
  readonly #ending = new Set<Promise<unknown>>();
  #looking: Timer | undefined;
  #isStopped = false;

  constructor(parts: ClaimedRepliesParts) {
    this.#parts = parts;
  }

  /** Reads the reply to its end if another process makes it. Resolves with nothing if it is to be made here. */
  async enter(named: NamedRequest): Promise<ReplyEnd | undefined> {
    const own = claimOf(named, this.#parts.peers.process);
    for (;;) {
      const held = await this.#claim(own, named.signal);
      if (held === 'away') {
        named.served.note('its Idempotency-Key could not be told to other processes');
        return this.#make(named, own);
      }
      if (held === undefined) return this.#make(named);
      if (held.digest !== own.digest) throw otherBody();
      const end = await this.#read(held, named);
      if (end) return end;
      if (await this.#takeOver(held, own)) {
        named.served.note(`the process that was answering it is gone: ${held.id}`);
        return this.#make(named);
      }
    }
  }

  /** A reply is over. What is whole is recorded already, or is when the store is back; what is not may be made anew. */
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

  /** Resolves when the store knows what it must, or cannot be told. */
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

  /** Has other processes find a whole reply before its client sees the end, unless the store is away. */
  async #record(served: ServedRequest, own: OwnReply, whole: NonNullable<OwnReply['whole']>): Promise<void> {
    // Another process may have the name by now.
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

  /** `away`: nobody can say whose it is. */
  async #claim(own: ReplyClaim, signal: AbortSignal): Promise<ReplyClaim | 'away' | undefined> {
    const { clock, claims, peers } = this.#parts;
    // A process that the others do not know could end without anybody noticing, and its claims would never be free.
    if (!peers.isKnown) return 'away';
    const claiming = claims.claim(own);
    try {
      return await within(claiming, { clock, timeoutMs: claimTimeoutMs, signal });
    } catch {
      // It may have been heard all the same, or may still be.
      if (signal.aborted) this.#release(own.id);
      void claiming.then(
        (held) => held ?? this.#releaseUnlessMade(own.id),
        () => undefined,
      );
      signal.throwIfAborted();
      return 'away';
    }
  }

  /** A claim that was heard when its reply was over already would be waited for by everybody who asks again. */
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

  /** A claim that is no more leaves nothing to take: the place is asked for again. */
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

  /** Nothing is asked of the store while nothing that is named runs here. */
  async #look(): Promise<void> {
    const { claims, peers } = this.#parts;
    try {
      if (this.#released.size > 0) await this.#releaseAll();
      await this.#claimLate();
      await this.#recordLate();
      if (this.#own.size > 0) this.#follow(await claims.wanted(peers.process));
    } catch {
      // Whoever reads elsewhere waits for as long as the store is away.
    }
    this.#looking = undefined;
    if (this.#own.size + this.#released.size > 0) this.#lookLater();
  }

  /** What could not be claimed when it began is claimed when the store is back, unless another process was first. */
  async #claimLate(): Promise<void> {
    const { claims, peers } = this.#parts;
    if (!peers.isKnown) return;
    for (const [id, own] of this.#own) {
      if (!own.unclaimed || (await claims.claim(own.unclaimed))) continue;
      own.unclaimed = undefined;
      this.#releaseUnlessMade(id);
    }
  }

  /** What could not be recorded before its end is when the store is back, as long as it is kept here. */
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

/** What a piece is sealed for. */
export function ownerOf(id: string): string {
  return `reply ${id}`;
}
