import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { ProviderRefusal } from '../../src/serving/upstreams/answer/refusal.ts';
import type { FaultOutcome } from './fault.ts';

/** Records the events of one request, and those that arrive after its end. */
export class AnswerRecorder implements EventSink {
  readonly received: StreamEvent[] = [];
  readonly endings: ('complete' | { readonly error: unknown })[] = [];
  /** Events after the end. There must be none. */
  readonly afterwards: unknown[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly #watchers = new Set<() => void>();
  #isClosed = false;

  get text(): string {
    return this.received.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  }

  get isOver(): boolean {
    return this.endings.length > 0;
  }

  /** Resolves when the request has ended in any way. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** From now on, only the end may arrive. */
  close(): void {
    this.#isClosed = true;
  }

  record(opening: Promise<EventFlow>): void {
    opening.then(
      (flow) => flow.start(this),
      (error: unknown) => this.fail(error),
    );
  }

  /** Resolves when the condition holds, or the request has ended. */
  waitUntil(isEnough: (recorder: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watch = (): void => {
        if (!this.isOver && !isEnough(this)) return;
        this.#watchers.delete(watch);
        resolve();
      };
      this.#watchers.add(watch);
      watch();
    });
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.isOver || this.#isClosed) this.afterwards.push(...batch);
    this.received.push(...batch);
    for (const watch of this.#watchers) watch();
  }

  end(): void {
    this.#end('complete');
  }

  fail(error: unknown): void {
    this.#end({ error });
  }

  outcome(): FaultOutcome {
    const [ending] = this.endings;
    const counts = this.received.findLast((event) => event.type === 'usage')?.usage;
    const usage = counts && { promptTokens: counts.promptTokens, completionTokens: counts.completionTokens };
    if (ending === 'complete' || ending === undefined) return { ending: 'complete', text: this.text, usage };
    if (!(ending.error instanceof GatewayError)) throw ending.error;
    const { case: errorCase, code, cause } = ending.error;
    const refused = cause instanceof ProviderRefusal ? cause : undefined;
    return {
      ending: errorCase,
      text: this.text,
      code,
      usage,
      ...(refused && { status: refused.status, retryAfterMs: refused.retryAfterMs }),
    };
  }

  /** The cause of a failure for the operator. Empty without a failure. */
  get cause(): string {
    const [ending] = this.endings;
    if (typeof ending !== 'object' || !(ending.error instanceof GatewayError)) return '';
    return String(ending.error.cause);
  }

  #end(ending: 'complete' | { readonly error: unknown }): void {
    if (this.isOver) this.afterwards.push(ending);
    this.endings.push(ending);
    for (const watch of this.#watchers) watch();
    this.#over.resolve();
  }
}
