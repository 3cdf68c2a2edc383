import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { ChoiceEvent, StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import { ConstraintViolation, type Gone, type CheckedConstraint } from './constraint-violation.ts';
import { SaidTurn } from './corrective-message.ts';

export type Finish = Extract<StreamEvent, { type: 'finish' }>;

/** Checks the events of one choice. No event follows the finish. */
export interface ChoiceGate {
  /**
   * Returns the events to pass on. Throws `Breach` when the constraint can no longer be met. Only a finish may return a
   * Promise.
   */
  pass(event: ChoiceEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** Whether the rest of the provider's output is irrelevant, so the gateway ends the choice. */
  readonly endsEarly?: boolean;
}

/** Whether an answer was cut off before the model was done. Missing content is then not a violation. */
export function isCutOff({ reason, stopSequence }: Finish): boolean {
  return reason === 'length' || reason === 'content-filter' || stopSequence !== undefined;
}

/** Thrown when a constraint is violated. The gate adds the model's output. */
export class Breach extends Error {
  readonly promise: CheckedConstraint;
  constructor(promise: CheckedConstraint, words: string) {
    super(words);
    this.promise = promise;
  }
}

/**
 * A stage that holds back events that may violate a constraint. On a violation, the other events of the same batch are
 * held back too, so that the model can be re-prompted. If the provider has finished the answer, it is read to its end
 * first, because the usage comes there.
 */
export abstract class ConstraintGate<Gate extends ChoiceGate> extends EventRelay {
  readonly #provider: EventFlow;
  readonly #choices = new Map<number, RunningGate<Gate>>();
  readonly #expected: number;
  #over = 0;
  #breach: Breached | undefined;
  /** Whether the gateway ended a choice, so the provider's stream does not end by itself. */
  #isEarly = false;
  #usage: Usage | undefined;
  /** Calls of the provider that are deferred during validation. */
  #later: (() => void)[] | undefined;
  #gone: Gone = { reasoning: false, text: false, calls: false };

  constructor(source: EventFlow, choices: number) {
    super(source);
    this.#provider = source;
    this.#expected = choices;
  }

  protected abstract newGate(choice: number): Gate;

  override events(batch: readonly StreamEvent[]): void {
    if (this.#later) this.#later.push(() => this.events(batch));
    else this.#take(batch, 0, []);
  }

  override end(): void {
    if (this.#later) return void this.#later.push(() => this.end());
    const open = [...this.#choices].filter(([, { isOver }]) => !isOver);
    if (open.length > 0 && !this.#breach) {
      this.events(open.map(([choice]) => ({ type: 'finish', choice, reason: 'other', raw: 'end' })));
      return this.end();
    }
    if (this.#breach) super.fail(this.#broken(this.#breach));
    else super.end();
  }

  override fail(error: unknown): void {
    if (this.#later) this.#later.push(() => this.fail(error));
    else if (this.#breach) super.fail(this.#broken(this.#breach));
    else super.fail(error instanceof ConstraintViolation ? error.seenWith(this.#gone) : error);
  }

  /** Processes a batch from an index on. The events that pass are sent together, or not at all on a violation. */
  #take(batch: readonly StreamEvent[], from: number, passed: StreamEvent[]): void {
    for (let at = from; at < batch.length; at++) {
      const event = batch[at];
      if (event?.type === 'usage') this.#usage = event.usage;
      // The answer is encoded again even for a client of the provider's format: the provider's frames contain the held
      // events.
      if (!event || this.#breach || event.type === 'verbatim') continue;
      if (!('choice' in event)) passed.push(event);
      else if (this.#pass(event, passed, () => this.#take(batch, at + 1, passed))) return;
    }
    const isAllOver = this.#over >= this.#expected;
    if (this.#breach && (!isAllOver || this.#isEarly)) this.#break(this.#breach);
    else if (!this.#breach && isAllOver && this.#isEarly) this.#letGo(passed);
    else if (!this.#breach) this.#send(passed);
  }

  /** Returns whether the rest of the batch is processed later. */
  #pass(event: ChoiceEvent, passed: StreamEvent[], goOn: () => void): boolean {
    const running = this.#choices.get(event.choice) ?? this.#begin(event.choice);
    if (running.isOver) return false;
    running.said.see(event);
    const isFinish = event.type === 'finish';
    if (isFinish) this.#ended(running);
    try {
      const passing = running.gate.pass(event);
      if (passing instanceof Promise) {
        void this.#wait(passing, { running, passed, goOn });
        return true;
      }
      passed.push(...passing);
    } catch (error) {
      this.#breached(error, running);
    }
    if (isFinish || this.#breach || !running.gate.endsEarly) return false;
    this.#isEarly = true;
    return this.#pass({ type: 'finish', choice: event.choice, reason: 'stop', raw: 'stop' }, passed, goOn);
  }

  async #wait(passing: Promise<readonly StreamEvent[]>, { running, passed, goOn }: WaitingGate<Gate>): Promise<void> {
    const later: (() => void)[] = [];
    this.#later = later;
    const outcome = await passing.then(
      (events) => ({ events }),
      (error: unknown) => ({ error }),
    );
    this.#later = undefined;
    try {
      if ('events' in outcome) passed.push(...outcome.events);
      else this.#breached(outcome.error, running);
      goOn();
      // One of these calls may start another wait. The rest is then deferred again.
      for (const each of later) each();
    } catch (error) {
      this.#provider.cancel();
      super.fail(error);
    }
  }

  #breached(error: unknown, { said }: RunningGate<Gate>): void {
    if (!(error instanceof Breach)) throw error;
    this.#breach = { breach: error, said };
  }

  #ended(running: RunningGate<Gate>): void {
    running.isOver = true;
    this.#over += 1;
  }

  #begin(choice: number): RunningGate<Gate> {
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

  #broken({ breach, said }: Breached): ConstraintViolation {
    const answer = { said: said.parts(), usage: this.#usage, gone: this.#gone };
    return new ConstraintViolation(breach.promise, breach.message, answer);
  }
}

interface WaitingGate<Gate> {
  readonly running: RunningGate<Gate>;
  readonly passed: StreamEvent[];
  readonly goOn: () => void;
}

interface Breached {
  readonly breach: Breach;
  readonly said: SaidTurn;
}

interface RunningGate<Gate> {
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
