import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import type { Tally } from './tally.ts';

/** Watches an answer pass and makes sure that its reader gets exactly one usage event, the last before the end. */
export class Meter extends EventRelay {
  readonly #tally: Tally;

  constructor(source: EventFlow, tally: Tally) {
    super(source);
    this.#tally = tally;
  }

  override events(batch: readonly StreamEvent[]): void {
    this.#tally.see(batch);
    super.events(batch);
  }

  override end(): void {
    if (this.#tally.isToldByProvider) return super.end();
    Promise.resolve(this.#tally.usage()).then(
      (usage) => this.#endWith(usage),
      (error: unknown) => super.fail(error),
    );
  }

  #endWith(usage: Usage): void {
    super.events([{ type: 'usage', usage }]);
    super.end();
  }
}
