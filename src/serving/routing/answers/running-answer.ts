import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { EventRelay } from 'chat-formats/chat/event-relay.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { ProviderCall } from '../calls/provider-call.ts';

/** A running answer. Its end is the end of its call. */
export class RunningAnswer extends EventRelay {
  readonly #call: ProviderCall;
  readonly #signal: AbortSignal;
  #error: unknown;

  constructor(source: EventFlow, call: ProviderCall, signal: AbortSignal) {
    super(source);
    this.#call = call;
    this.#signal = signal;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#call.measure(batch);
    super.events(batch);
  }

  override fail(error: unknown): void {
    this.#error = error;
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    // An answer that was aborted is not a failure of the provider.
    this.#call.end(how === 'failed' && !this.#signal.aborted ? this.#error : undefined);
  }
}
