import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { ChoiceEvent, StreamEvent } from '../core/stream-event.ts';
import type { Usage } from '../core/usage.ts';
import { ConstraintViolation, type Gone, type CheckedConstraint } from './constraint-violation.ts';
import { SaidTurn } from './corrective-message.ts';

export type Finish = Extract<StreamEvent, { type: 'finish' }>;

/** What comes of one choice on its way through a gate. Nothing follows the finish. */
export interface ChoiceGate {
  /** What may go on because of an event; throws `Breach` when the promise can no longer be kept. Only a finish may take time. */
  pass(event: ChoiceEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** Nothing that the provider may still say matters: the choice is finished here. */
  readonly endsEarly?: boolean;
}

/** Whether an answer was cut off before the model had said all it wanted to: what is missing is not its fault. */
export function isCutOff({ reason, stopSequence }: Finish): boolean {
  return reason === 'length' || reason === 'content-filter' || stopSequence !== undefined;
}

/** Thrown where a promise is broken; the gate adds what the model said. */
export class Breach extends Error {
  readonly promise: CheckedConstraint;
  constructor(promise: CheckedConstraint, words: string) {
    super(words);
    this.promise = promise;
  }
}

/**
 * A stage that holds back what may break a promise. When it is broken what this batch would have let through stays back
 * too, so that the model can be asked again; an answer that its provider has finished is read to its end first, because
 * what it used is said there.
 */
export abstract class ConstraintGate<Gate extends ChoiceGate> extends EventRelay {
  readonly #provider: EventFlow;
  readonly #choices = new Map<number, RunningGate<Gate>>();
  readonly #expected: number;
  #over = 0;
  #breach: Breached | undefined;
  /** A choice was finished here, so that the provider does not come to its end by itself. */
  #isEarly = false;
  #usage: Usage | undefined;
  /** What the provider says while the answer is being judged. */
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

  /** Takes a batch from one of its events on; what passes of it goes on at once, and not at all if the promise is broken. */
  #take(batch: readonly StreamEvent[], from: number, passed: StreamEvent[]): void {
    for (let at = from; at < batch.length; at++) {
      const event = batch[at];
      if (event?.type === 'usage') this.#usage = event.usage;
      // A client of the provider's own format gets its answer built anew: what the provider wrote holds what is kept back.
      if (!event || this.#breach || event.type === 'verbatim') continue;
      if (!('choice' in event)) passed.push(event);
      else if (this.#pass(event, passed, () => this.#take(batch, at + 1, passed))) return;
    }
    const isAllOver = this.#over >= this.#expected;
    if (this.#breach && (!isAllOver || this.#isEarly)) this.#break(this.#breach);
    else if (!this.#breach && isAllOver && this.#isEarly) this.#letGo(passed);
    else if (!this.#breach) this.#send(passed);
  }

  /** Whether the batch goes on later. */
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
      // One of them may have to wait in its turn, and the rest with it.
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
