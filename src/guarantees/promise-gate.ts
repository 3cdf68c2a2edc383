import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import { BrokenPromise, type Gone, type PromiseName } from './broken-promise.ts';
import { SaidTurn } from './said-turn.ts';

/** One of the events that belong to a choice. */
export type ChoiceEvent = Extract<StreamEvent, { choice: number }>;
export type Finish = Extract<StreamEvent, { type: 'finish' }>;

/** What comes of one choice on its way through a gate. Nothing follows the finish. */
export interface ChoiceGate {
  /** What may go on because of an event; throws `Breach` when the promise can no longer be kept. */
  pass(event: ChoiceEvent): readonly StreamEvent[];
  /** Nothing that the provider may still say matters: its answer can be ended here, with this finish. */
  readonly endsEarly?: Finish | undefined;
}

/** Whether an answer was cut off before the model had said all it wanted to: what is missing is not its fault. */
export function isCutOff({ reason, stopSequence }: Finish): boolean {
  return reason === 'length' || reason === 'content-filter' || stopSequence !== undefined;
}

/** Thrown where a promise is broken; the gate adds what the model said. */
export class Breach extends Error {
  readonly promise: PromiseName;
  constructor(promise: PromiseName, words: string) {
    super(words);
    this.promise = promise;
  }
}

/**
 * A stage that holds back what may break a promise. When it is broken what this batch would have let through stays back
 * too, so that the model can be asked again; an answer that its provider has finished is read to its end first, because
 * what it used is said there.
 */
export abstract class PromiseGate<Gate extends ChoiceGate> extends EventRelay {
  readonly #provider: EventFlow;
  readonly #choices = new Map<number, Running<Gate>>();
  readonly #expected: number;
  #over = 0;
  #breach: Breached | undefined;
  #usage: Usage | undefined;
  #gone: Gone = { reasoning: false, text: false, calls: false };

  constructor(source: EventFlow, choices: number) {
    super(source);
    this.#provider = source;
    this.#expected = choices;
  }

  protected abstract newGate(choice: number): Gate;

  override events(batch: readonly StreamEvent[]): void {
    const passed: StreamEvent[] = [];
    for (const event of batch) {
      if (event.type === 'usage') this.#usage = event.usage;
      // A client of the provider's own format gets its answer built anew: what the provider wrote holds what is kept back.
      if (this.#breach || event.type === 'verbatim') continue;
      if (!('choice' in event)) passed.push(event);
      else if (this.#take(event, passed)) return this.#letGo(passed);
    }
    if (!this.#breach) this.#send(passed);
    else if (this.#over < this.#expected) this.#break(this.#breach);
  }

  override end(): void {
    const passed: StreamEvent[] = [];
    for (const [choice, { isOver }] of this.#choices) {
      if (!isOver && !this.#breach) this.#take({ type: 'finish', choice, reason: 'other', raw: 'end' }, passed);
    }
    if (this.#breach) return super.fail(this.#broken(this.#breach));
    this.#send(passed);
    super.end();
  }

  override fail(error: unknown): void {
    if (this.#breach) super.fail(this.#broken(this.#breach));
    else super.fail(error instanceof BrokenPromise ? error.seenWith(this.#gone) : error);
  }

  /** Whether nothing more is to come of any choice although the provider goes on. */
  #take(event: ChoiceEvent, passed: StreamEvent[]): boolean {
    const running = this.#choices.get(event.choice) ?? this.#begin(event.choice);
    if (running.isOver) return false;
    running.said.see(event);
    const isFinish = event.type === 'finish';
    try {
      passed.push(...running.gate.pass(event));
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      this.#breach = { breach: error, said: running.said };
    }
    const early = isFinish ? undefined : running.gate.endsEarly;
    if (early) passed.push(early);
    if (!isFinish && !early) return false;
    running.isOver = true;
    this.#over += 1;
    return early !== undefined && this.#over === this.#expected;
  }

  #begin(choice: number): Running<Gate> {
    const running = { gate: this.newGate(choice), said: new SaidTurn(), isOver: false };
    this.#choices.set(choice, running);
    return running;
  }

  #send(passed: readonly StreamEvent[]): void {
    if (passed.length === 0) return;
    this.#gone = goneWith(this.#gone, passed);
    super.events(passed);
  }

  #letGo(last: readonly StreamEvent[]): void {
    this.#provider.cancel();
    this.#send(last);
    super.end();
  }

  #break(breached: Breached): void {
    this.#provider.cancel();
    super.fail(this.#broken(breached));
  }

  #broken({ breach, said }: Breached): BrokenPromise {
    const answer = { said: said.parts(), usage: this.#usage, gone: this.#gone };
    return new BrokenPromise(breach.promise, breach.message, answer);
  }
}

interface Breached {
  readonly breach: Breach;
  readonly said: SaidTurn;
}

interface Running<Gate> {
  readonly gate: Gate;
  readonly said: SaidTurn;
  isOver: boolean;
}

function goneWith(before: Gone, events: readonly StreamEvent[]): Gone {
  const has = (...types: readonly StreamEvent['type'][]) => events.some(({ type }) => types.includes(type));
  return {
    reasoning: before.reasoning || has('reasoning-delta', 'reasoning-signature', 'redacted-reasoning'),
    text: before.text || has('text-delta'),
    calls: before.calls || has('tool-call-start'),
  };
}
