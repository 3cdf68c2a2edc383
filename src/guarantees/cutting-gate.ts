import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { PromiseName, TellPromise } from '../core/guarantee.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { ChoiceEvent } from './promise-gate.ts';

/** What cuts one choice off. Nothing is passed to it once it is over. */
export interface ChoiceCutter {
  /** What may go on because of an event. */
  pass(event: ChoiceEvent): readonly StreamEvent[];
  /** What was held back, where nothing more comes. */
  release(): readonly StreamEvent[];
  /** Ended, by whatever. */
  readonly isOver: boolean;
  /** Ended here. */
  readonly isCut: boolean;
}

export interface CuttingTerms {
  /** How many answers there will be. */
  readonly choices: number;
  readonly told?: TellPromise | undefined;
}

/**
 * A stage that ends choices where their provider should have. When every choice has ended the provider is let go, and
 * nothing it says after that counts, so that an answer is the same however its bytes come.
 */
export abstract class CuttingGate extends EventRelay {
  protected abstract readonly promise: PromiseName;
  readonly #provider: EventFlow;
  readonly #told: TellPromise | undefined;
  readonly #choices = new Map<number, ChoiceCutter>();
  /** Choices that have not ended. */
  #running: number;

  constructor(source: EventFlow, { choices, told }: CuttingTerms) {
    super(source);
    this.#provider = source;
    this.#told = told;
    this.#running = choices;
  }

  protected abstract newCutter(choice: number): ChoiceCutter;

  override events(batch: readonly StreamEvent[]): void {
    const passed: StreamEvent[] = [];
    for (const event of batch) {
      // A client of the provider's own format gets its answer built anew: what the provider wrote goes on past the cut.
      if (event.type === 'verbatim') continue;
      if (!('choice' in event)) passed.push(event);
      else if (this.#cuts(event, passed) && this.#running === 0) return this.#letGo(passed);
    }
    if (passed.length > 0) super.events(passed);
  }

  override end(): void {
    this.#releaseAll();
    super.end();
  }

  override fail(error: unknown): void {
    this.#releaseAll();
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    if (how !== 'ended') return;
    const isMended = [...this.#choices.values()].some(({ isCut }) => isCut);
    this.#told?.(this.promise, isMended ? 'mended' : 'kept');
  }

  /** Whether the event has brought its choice to its end here. */
  #cuts(event: ChoiceEvent, passed: StreamEvent[]): boolean {
    const cutter = this.#choices.get(event.choice) ?? this.newCutter(event.choice);
    this.#choices.set(event.choice, cutter);
    if (cutter.isOver) return false;
    for (const each of cutter.pass(event)) passed.push(each);
    if (cutter.isOver) this.#running -= 1;
    return cutter.isCut;
  }

  #letGo(last: readonly StreamEvent[]): void {
    this.#provider.cancel();
    super.events(last);
    super.end();
  }

  #releaseAll(): void {
    const held = [...this.#choices.values()].flatMap((cutter) => cutter.release());
    if (held.length > 0) super.events(held);
  }
}
