import type { Peers, Presence } from '../../../platform/cluster/peers.ts';
import type {
  ReplyClaim,
  ReplyClaims,
  ReplyEnding,
  StoredError,
  StoredReply,
} from '../../../platform/cluster/reply-claims.ts';
import { assert } from 'chat-formats/assert.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { within } from '../../../core/time/within.ts';
import { ActivitySigns, type Sign } from './activity-signs.ts';
import { answerInProgress } from './replays.ts';
import type { ReplyEnd } from './reply-reader.ts';
import type { SharedReply } from './shared-reply.ts';

export interface ReaderParts {
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'read' | 'markRead'>;
  readonly peers: Peers;
  readonly unseal: (sealed: string) => string;
  readonly reply: SharedReply;
  readonly signal: AbortSignal;
  /** The last frame of an answer that failed, in the client's format. */
  readonly errorFrame: (error: unknown) => string;
}

const pollEveryMs = 200;
const markEveryMs = 3000;
const storeTimeoutMs = 3000;
/** After this silence the presence of the process is checked. */
const checkAfterMs = 1000;
/** Interval of presence checks before the first sign of activity. */
const checkInactiveMs = 500;
/** How long to wait for a process that is alive but silent, or whose presence is unknown. */
const silenceTimeoutMs = 5000;
/** How long to wait for a process that vanished. Its state is certain after this time. */
const vanishedTimeoutMs = 45_000;

export class RemoteReader {
  readonly #claim: ReplyClaim;
  readonly #parts: ReaderParts;
  readonly #signs: ActivitySigns;
  #at = 0;
  /** Characters in the store at the last poll; undefined before the first poll. */
  #known: number | undefined;
  /** Whether the other process has shown activity since this reader started. Before that, no text is forwarded. */
  #isActive = false;
  /** The client reads slower than the reply arrives. */
  #isBehind = false;
  /** When the other process was last seen alive. */
  #signMs: number;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #lastPresence: Presence = 'unknown';
  #reports: number | undefined;
  #markedMs = Number.NEGATIVE_INFINITY;
  /** Ends the current pause early. */
  #wake: () => void = () => {};

  constructor(claim: ReplyClaim, parts: ReaderParts) {
    this.#claim = claim;
    this.#parts = parts;
    this.#signs = parts.reply.signs ??= new ActivitySigns();
    this.#signMs = parts.clock.elapsed();
    parts.reply.onDrain(() => {
      this.#isBehind = false;
      this.#wake();
    });
  }

  /**
   * Resolves with undefined if the reply no longer exists and nothing of it was sent. Then it may be generated again;
   * this never happens while its process may still be generating it. Rejects with the error for the client if nothing
   * was sent.
   */
  async read(): Promise<ReplyEnd | undefined> {
    const { signal } = this.#parts;
    const onAbort = (): void => this.#wake();
    signal.addEventListener('abort', onAbort);
    try {
      return await this.#readToEnd();
    } catch (error) {
      return this.#breakOff(error);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #readToEnd(): Promise<ReplyEnd | undefined> {
    for (;;) {
      this.#parts.signal.throwIfAborted();
      const from = this.#from;
      const polled = this.#isBehind ? undefined : await this.#poll(from);
      if (polled === 'nothing') return this.#endMissing();
      if (polled && this.#isFirstSign(polled)) continue;
      if (polled?.ending) return this.#endWith(this.#textOf(polled), polled.ending);
      const presence = await this.#presence();
      if (presence === 'gone' && !this.#isBehind) return this.#readLast();
      // After the first text, this client depends on the other process to finish the answer.
      if (polled && this.#isActive && from === this.#at) this.#write(this.#textOf(polled));
      await this.#pause();
    }
  }

  /** After the first byte an error is sent as a frame; before it, it is thrown to the caller. */
  #breakOff(error: unknown): ReplyEnd {
    const { reply, errorFrame } = this.#parts;
    if (!reply.hasBegun) throw error;
    if (reply.gone.aborted) return { error: undefined, isClientGone: true, isCommitted: true };
    reply.breakOff('', errorFrame(error), error);
    return { error, isClientGone: false, isCommitted: true };
  }

  /** Before the first sign, only the existence of new text matters, so read from the end. */
  get #from(): number {
    return this.#isActive ? this.#at : (this.#known ?? 0);
  }

  /** Whether this is the first sign of activity: text newer than this reader, or the end. */
  #isFirstSign({ pieces, ending }: StoredReply): boolean {
    if (this.#isActive) return false;
    const known = this.#known;
    const last = pieces.at(-1);
    this.#known = Math.max(known ?? 0, last ? last.start + last.length : 0);
    if (known === undefined || (this.#known === known && !ending)) return false;
    this.#addSign('text');
    return true;
  }

  #addSign(sign: Sign): void {
    this.#isActive = true;
    this.#signs.seen(sign);
  }

  /** Polls for text from an offset; undefined while the store is unreachable. */
  async #poll(from: number): Promise<StoredReply | 'nothing' | undefined> {
    const { clock, claims, signal } = this.#parts;
    const bounds = { clock, timeoutMs: storeTimeoutMs, signal };
    this.#signs.checking('text');
    try {
      if (clock.elapsed() - this.#markedMs >= markEveryMs) {
        await within(claims.markRead(this.#claim.id), bounds);
        this.#markedMs = clock.elapsed();
      }
      return (await within(claims.read(this.#claim.id, from), bounds)) ?? 'nothing';
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  #textOf({ pieces }: StoredReply): string {
    let text = '';
    for (const { start, length, sealed } of pieces) {
      assert(start <= this.#at, 'pieces of a reply have no gap');
      if (start + length <= this.#at) continue;
      text += this.#parts.unseal(sealed).slice(this.#at - start);
      this.#at = start + length;
    }
    return text;
  }

  #write(text: string): void {
    if (text === '') return;
    const { clock, reply } = this.#parts;
    this.#signMs = clock.elapsed();
    this.#addSign('text');
    reply.request.markFirstByte();
    this.#isBehind = !reply.write(text);
  }

  #endWith(text: string, ending: ReplyEnding): ReplyEnd {
    const { reply } = this.#parts;
    switch (ending.kind) {
      case 'stream':
      case 'body':
        reply.request.markFirstByte();
        reply.setForm(ending);
        reply.end(text);
        return { error: undefined, isClientGone: reply.gone.aborted, isCommitted: true };
      case 'broken': {
        const error = errorOf(ending);
        reply.request.markFirstByte();
        reply.breakOff(text, '', error);
        return { error, isClientGone: false, isCommitted: true };
      }
      case 'failed':
        throw errorOf(ending);
      case 'untellable':
        throw answerInProgress('Its response is too long to be replayed.');
      default:
        return ending satisfies never;
    }
  }

  /** Presence of the process, checked while uncertain and after a silence. Throws after the wait is over. */
  async #presence(): Promise<Presence> {
    const { clock, peers, signal } = this.#parts;
    const nowMs = clock.elapsed();
    const isStreaming = this.#isActive && this.#lastPresence === 'alive';
    const lastMs = isStreaming ? Math.max(this.#checkedMs, this.#signMs) : this.#checkedMs;
    if (nowMs - lastMs < (this.#isActive ? checkAfterMs : checkInactiveMs)) return this.#lastPresence;
    this.#checkedMs = nowMs;
    this.#signs.checking('report');
    const { presence, reports } = await within(peers.sightingOf(this.#claim.process), {
      clock,
      timeoutMs: storeTimeoutMs,
      signal,
    }).catch(() => ({ presence: 'unknown' as const, reports: this.#reports ?? 0 }));
    signal.throwIfAborted();
    this.#lastPresence = presence;
    if (presence === 'alive') {
      this.#signMs = nowMs;
      if (reports > (this.#reports ?? reports)) this.#addSign('report');
      this.#reports = reports;
    }
    const timeoutMs = presence === 'vanished' ? vanishedTimeoutMs : silenceTimeoutMs;
    if (presence !== 'gone' && nowMs - this.#signMs >= timeoutMs) {
      throw answerInProgress('The process that generates its response cannot be reached.');
    }
    return presence;
  }

  /** The process is gone. Polls once more, because its last action may have been to end the reply. */
  async #readLast(): Promise<ReplyEnd | undefined> {
    this.#isActive = true;
    const polled = await this.#poll(this.#at);
    if (polled === undefined || polled === 'nothing' || !polled.ending) return this.#endMissing();
    return this.#endWith(this.#textOf(polled), polled.ending);
  }

  #endMissing(): undefined {
    // A new answer would not continue this one.
    if (this.#parts.reply.hasBegun) throw new GatewayError('upstream-failed', { detail: processEnded });
    return undefined;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(pollEveryMs, resolve);
      this.#wake = () => {
        this.#parts.clock.cancel(timer);
        resolve();
      };
    });
  }
}

const processEnded = 'The process that generated this answer has ended. Send the request again for a new answer.';

function errorOf({ case: errorCase, ...polled }: StoredError): GatewayError {
  return new GatewayError(errorCase, polled);
}
