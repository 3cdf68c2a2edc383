import type { BackgroundRequests } from '../../../../work/batches/background-requests.ts';
import type { ReplyClaims } from '../../../../platform/cluster/reply-claims.ts';
import { backgroundOpening } from 'chat-formats/responses/answer/event-log.ts';
import type { EventStreamWriter } from '../../../http/exchange.ts';
import type { IdempotencyClaims } from '../../replies/idempotency-claims.ts';
import { RelayedReply, type RelayParts } from '../../replies/relayed-reply.ts';
import { eventsIn, type InFlightResponses, withoutEvents } from '../in-flight-responses.ts';

interface EventParts {
  readonly inFlight: InFlightResponses;
  readonly requests: Pick<BackgroundRequests, 'markStreamed'>;
  readonly onError: (error: unknown) => void;
}

interface EventRelayParts extends EventParts {
  readonly claims: Pick<ReplyClaims, 'markRead' | 'read'>;
  readonly replies: Pick<IdempotencyClaims, 'during' | 'unseal'>;
}

/**
 * Events of responses in the background on their way to readers in other processes. Each attempt holds a claim, and its
 * process writes its events as pieces of that claim while others read it.
 */
export class EventRelay {
  readonly #parts: EventRelayParts;
  readonly #reads = new Map<string, Promise<string>>();

  constructor(parts: EventRelayParts) {
    this.#parts = parts;
  }

  /** Runs an attempt, whose events other processes can read meanwhile. */
  during(requestId: string, responseId: string, attempt: () => Promise<void>): Promise<void> {
    const events = (parts: RelayParts) => new RelayedEvents(requestId, responseId, { ...this.#parts, ...parts });
    return this.#parts.replies.during({ scope: `background ${requestId}`, id: requestId }, events, attempt);
  }

  /** The frames from an event on that are in the store, read once for readers that need the same ones. Its process writes more in the next 10 s. */
  read(requestId: string, from: number): Promise<string> {
    const name = `${requestId} ${from}`;
    const reading = this.#reads.get(name) ?? this.#read(requestId, from).finally(() => this.#reads.delete(name));
    this.#reads.set(name, reading);
    return reading;
  }

  async #read(requestId: string, from: number): Promise<string> {
    const { claims, replies } = this.#parts;
    const first = from - backgroundOpening.length;
    await claims.markRead(requestId);
    const stored = await claims.read(requestId, first);
    const frames = stored?.pieces.map(({ start, sealed }) =>
      withoutEvents(replies.unseal(requestId, sealed), first - start),
    );
    return frames?.join('') ?? '';
  }
}

/** The events of one attempt, without those of the opening. */
class RelayedEvents extends RelayedReply implements EventStreamWriter {
  readonly #responseId: string;
  readonly #parts: EventParts;

  constructor(requestId: string, responseId: string, parts: RelayParts & EventParts) {
    super(requestId, parts);
    this.#responseId = responseId;
    this.#parts = parts;
  }

  /** Its last events come from the stored response. */
  end(): void {}

  breakOff(): void {}

  protected lengthOf(text: string): number {
    return eventsIn(text);
  }

  protected follow(position: number): void {
    const { gone } = this;
    void this.#follow(gone, position)
      .catch(this.#parts.onError)
      .finally(() => {
        // If the response has not begun, the next poll tries again.
        if (this.gone === gone) this.leave();
      });
  }

  /** Once a reader has a part of an attempt, the response does not run again. */
  async #follow(gone: AbortSignal, position: number): Promise<void> {
    const { inFlight, requests } = this.#parts;
    if (!inFlight.has(this.#responseId) || !(await requests.markStreamed(this.id)) || gone.aborted) return;
    const target = { gone, openEventStream: () => this };
    await inFlight.follow(this.#responseId, target, backgroundOpening.length + position - 1);
  }
}
