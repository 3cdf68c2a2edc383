import type { BackgroundRequests } from '../../../batches/background-requests.ts';
import type { SecretVault } from '../../../catalog/secret-vault.ts';
import type { ReplyClaims } from '../../../cluster/reply-claims.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { backgroundOpening } from '../../../dialects/responses/answer/event-log.ts';
import type { EventStreamWriter } from '../../../http/exchange.ts';
import { eventsIn, type InFlightResponses, withoutEvents } from '../in-flight-responses.ts';

interface RelayParts {
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'claim' | 'release' | 'readElsewhere' | 'markRead' | 'read' | 'tell'>;
  /** The name under which this process holds claims. */
  readonly process: string;
  readonly vault: SecretVault;
  readonly inFlight: InFlightResponses;
  readonly requests: Pick<BackgroundRequests, 'markStreamed'>;
  readonly onError: (error: unknown) => void;
}

interface RelayedAttempt {
  readonly responseId: string;
  /** Set while other processes read it. */
  leaving: AbortController | undefined;
  /** Events in the store, without those of the opening. */
  written: number;
}

const pollEveryMs = 300;
const writeEveryMs = 150;
/** Pending characters above which the relay stops: readers then wait for the stored response. */
const pendingMax = 4 * 1024 * 1024;

/**
 * Events of responses in the background on their way to readers in other processes. Each attempt holds a claim, and its
 * process writes its events as pieces of that claim while others read it.
 */
export class EventRelay {
  readonly #parts: RelayParts;
  /** The attempts of this process, by request. */
  readonly #own = new Map<string, RelayedAttempt>();
  readonly #reads = new Map<string, Promise<string>>();
  #isPolling = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** Runs an attempt, whose events other processes can read meanwhile. */
  async during(requestId: string, responseId: string, attempt: () => Promise<void>): Promise<void> {
    const { claims, process, onError } = this.#parts;
    const claim = { scope: `background ${requestId}`, id: requestId, process, digest: '' };
    const own: RelayedAttempt = { responseId, leaving: undefined, written: 0 };
    this.#own.set(requestId, own);
    const claiming = claims.claim(claim).catch(onError);
    this.#pollLater();
    try {
      await attempt();
    } finally {
      this.#own.delete(requestId);
      own.leaving?.abort();
      await claiming;
      await claims.release(requestId).catch(onError);
    }
  }

  /** The frames from an event on that are in the store, read once for readers that need the same ones. Its process writes more in the next 10 s. */
  read(requestId: string, from: number): Promise<string> {
    const name = `${requestId} ${from}`;
    const reading = this.#reads.get(name) ?? this.#read(requestId, from).finally(() => this.#reads.delete(name));
    this.#reads.set(name, reading);
    return reading;
  }

  async #read(requestId: string, from: number): Promise<string> {
    const { claims, vault } = this.#parts;
    const first = from - backgroundOpening.length;
    await claims.markRead(requestId);
    const stored = await claims.read(requestId, first);
    let frames = '';
    for (const { start, sealed } of stored?.pieces ?? []) {
      const opened = vault.open(ownerOf(requestId), sealed);
      if (!opened.ok) throw new Error(`events of request ${requestId} cannot be decrypted: ${opened.reason}`);
      frames += withoutEvents(opened.secret, first - start);
    }
    return frames;
  }

  #pollLater(): void {
    if (this.#isPolling || this.#own.size === 0) return;
    this.#isPolling = true;
    const again = (): void => {
      this.#isPolling = false;
      this.#pollLater();
    };
    const poll = (): void => void this.#poll().catch(this.#parts.onError).finally(again);
    this.#parts.clock.after(pollEveryMs, poll).unref();
  }

  /** Runs only while this process generates responses in the background. */
  async #poll(): Promise<void> {
    const { claims, process, inFlight, requests, onError } = this.#parts;
    const read = await claims.readElsewhere(process);
    for (const [requestId, own] of this.#own) {
      if (!read.has(requestId)) own.leaving?.abort();
      else if (own.leaving === undefined && inFlight.has(own.responseId)) {
        if (!(await requests.markStreamed(requestId))) continue;
        void this.#relay(requestId, own)
          .catch(onError)
          .finally(() => (own.leaving = undefined));
      }
    }
  }

  async #relay(requestId: string, own: RelayedAttempt): Promise<void> {
    const { clock, inFlight, claims, vault } = this.#parts;
    const leaving = new AbortController();
    own.leaving = leaving;
    let pending = '';
    const writer: EventStreamWriter = {
      write(frames) {
        pending += frames;
        if (pending.length > pendingMax) leaving.abort();
        return true;
      },
      onDrain() {},
      end: (frames = '') => void writer.write(frames),
      breakOff() {},
      destroy: () => leaving.abort(),
    };
    const target = { gone: leaving.signal, openEventStream: () => writer };
    const end = { isReached: false };
    const startingAfter = backgroundOpening.length + own.written - 1;
    const following = inFlight.follow(own.responseId, target, startingAfter).finally(() => (end.isReached = true));
    following.catch(() => undefined);
    while (!end.isReached) {
      const length = eventsIn(pending);
      if (length > 0) {
        const piece = { start: own.written, length, sealed: vault.seal(ownerOf(requestId), pending) };
        pending = '';
        await claims.tell(requestId, piece, undefined);
        own.written += length;
      }
      await new Promise((resolve) => clock.after(writeEveryMs, () => resolve(undefined)));
    }
    await following;
  }
}

function ownerOf(requestId: string): string {
  return `events ${requestId}`;
}
