import type { EventFlow } from '../chat/event-flow.ts';
import { EventRelay } from '../chat/event-relay.ts';
import type { ChoiceEvent, StreamEvent } from '../chat/stream-event.ts';
import type { Usage } from '../chat/usage.ts';
import { ConstraintViolation, type SentOutput, type CheckedConstraint } from './constraint-violation.ts';
import { OutputRecorder } from './corrective-message.ts';

export type Finish = Extract<StreamEvent, { type: 'finish' }>;

/** Checks the events of one choice. No event follows the finish. */
export interface ChoiceGate {
  /** The events to pass on; only a finish may return a Promise. Throws `GateViolation` on a violation. */
  pass(event: ChoiceEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]>;
  /** Whether the rest of the provider's output is irrelevant, so the gateway ends the choice. */
  readonly endsEarly?: boolean;
}

/** Whether an answer was cut off before the model was done. Missing content is then not a violation. */
export function isCutOff({ reason, stopSequence }: Finish): boolean {
  return reason === 'length' || reason === 'content-filter' || stopSequence !== undefined;
}

/** Thrown when a constraint is violated. The gate adds the model's output. */
export class GateViolation extends Error {
  readonly constraint: CheckedConstraint;
  constructor(constraint: CheckedConstraint, words: string) {
    super(words);
    this.constraint = constraint;
  }
}

/**
 * A stage that holds back events that may violate a constraint. On a violation, the other events of the same batch are
 * held back too, so that the model can be re-prompted. If the provider has finished the answer, it is read to its end
 * first, because the usage comes there.
 */
export class ConstraintGate extends EventRelay {
  readonly #provider: EventFlow;
  readonly #choices = new Map<number, RunningGate>();
  readonly #expected: number;
  readonly #newGate: (choice: number) => ChoiceGate;
  #over = 0;
  #violation: GateFailure | undefined;
  /** Whether the gateway ended a choice, so the provider's stream does not end by itself. */
  #isEarly = false;
  #usage: Usage | undefined;
  /** Calls of the provider that are deferred during validation. */
  #deferred: (() => void)[] | undefined;
  #sentOutput: SentOutput = { reasoning: false, text: false, calls: false };

  constructor(source: EventFlow, choices: number, newGate: (choice: number) => ChoiceGate) {
    super(source);
    this.#provider = source;
    this.#expected = choices;
    this.#newGate = newGate;
  }

  override events(batch: readonly StreamEvent[]): void {
    if (this.#deferred) this.#deferred.push(() => this.events(batch));
    else this.#take(batch, 0, []);
  }

  override end(): void {
    if (this.#deferred) return void this.#deferred.push(() => this.end());
    const open = [...this.#choices].filter(([, { isOver }]) => !isOver);
    if (open.length > 0 && !this.#violation) {
      this.events(open.map(([choice]) => ({ type: 'finish', choice, reason: 'other', raw: 'end' })));
      return this.end();
    }
    if (this.#violation) super.fail(this.#toError(this.#violation));
    else super.end();
  }

  override fail(error: unknown): void {
    if (this.#deferred) this.#deferred.push(() => this.fail(error));
    else if (this.#violation) super.fail(this.#toError(this.#violation));
    else super.fail(error instanceof ConstraintViolation ? error.withSent(this.#sentOutput) : error);
  }

  /** Processes a batch from an index on. The events that pass are sent together, or not at all on a violation. */
  #take(batch: readonly StreamEvent[], from: number, passed: StreamEvent[]): void {
    for (let at = from; at < batch.length; at++) {
      const event = batch[at];
      if (event?.type === 'usage') this.#usage = event.usage;
      // Encoded again even for a client of the provider's format: the provider's frames contain the held events.
      if (!event || this.#violation || event.type === 'verbatim') continue;
      if (!('choice' in event)) passed.push(event);
      else if (this.#pass(event, passed, () => this.#take(batch, at + 1, passed))) return;
    }
    const isAllOver = this.#over >= this.#expected;
    if (this.#violation && (!isAllOver || this.#isEarly)) this.#failWith(this.#violation);
    else if (!this.#violation && isAllOver && this.#isEarly) this.#endEarly(passed);
    else if (!this.#violation) this.#send(passed);
  }

  /** Returns whether the rest of the batch is processed later. */
  #pass(event: ChoiceEvent, passed: StreamEvent[], resume: () => void): boolean {
    const running = this.#choices.get(event.choice) ?? this.#begin(event.choice);
    if (running.isOver) return false;
    running.output.record(event);
    const isFinish = event.type === 'finish';
    if (isFinish) this.#endChoice(running);
    try {
      const passing = running.gate.pass(event);
      if (passing instanceof Promise) {
        void this.#wait(passing, { running, passed, resume });
        return true;
      }
      passed.push(...passing);
    } catch (error) {
      this.#catchViolation(error, running);
    }
    if (isFinish || this.#violation || !running.gate.endsEarly) return false;
    this.#isEarly = true;
    return this.#pass({ type: 'finish', choice: event.choice, reason: 'stop', raw: 'stop' }, passed, resume);
  }

  async #wait(passing: Promise<readonly StreamEvent[]>, { running, passed, resume }: WaitingGate): Promise<void> {
    const deferred: (() => void)[] = [];
    this.#deferred = deferred;
    const outcome = await passing.then(
      (events) => ({ events }),
      (error: unknown) => ({ error }),
    );
    this.#deferred = undefined;
    try {
      if ('events' in outcome) passed.push(...outcome.events);
      else this.#catchViolation(outcome.error, running);
      resume();
      // One of these calls may start another wait. The rest is then deferred again.
      for (const each of deferred) each();
    } catch (error) {
      this.#provider.cancel();
      super.fail(error);
    }
  }

  #catchViolation(error: unknown, { output }: RunningGate): void {
    if (!(error instanceof GateViolation)) throw error;
    this.#violation = { violation: error, output };
  }

  #endChoice(running: RunningGate): void {
    running.isOver = true;
    this.#over += 1;
  }

  #begin(choice: number): RunningGate {
    const running = { gate: this.#newGate(choice), output: new OutputRecorder(), isOver: false };
    this.#choices.set(choice, running);
    return running;
  }

  #send(passed: readonly StreamEvent[]): void {
    if (passed.length === 0) return;
    this.#sentOutput = addSent(this.#sentOutput, passed);
    super.events(passed);
  }

  #endEarly(last: readonly StreamEvent[]): void {
    this.#provider.cancel();
    this.#send(last);
    super.end();
  }

  #failWith(failure: GateFailure): void {
    this.#provider.cancel();
    super.fail(this.#toError(failure));
  }

  #toError({ violation, output }: GateFailure): ConstraintViolation {
    const answer = { output: output.parts(), usage: this.#usage, sent: this.#sentOutput };
    return new ConstraintViolation(violation.constraint, violation.message, answer);
  }
}

interface WaitingGate {
  readonly running: RunningGate;
  readonly passed: StreamEvent[];
  readonly resume: () => void;
}

interface GateFailure {
  readonly violation: GateViolation;
  readonly output: OutputRecorder;
}

interface RunningGate {
  readonly gate: ChoiceGate;
  readonly output: OutputRecorder;
  isOver: boolean;
}

function addSent(before: SentOutput, events: readonly StreamEvent[]): SentOutput {
  const has = (...types: readonly StreamEvent['type'][]) => events.some(({ type }) => types.includes(type));
  return {
    reasoning: before.reasoning || has('reasoning-delta', 'reasoning-signature', 'redacted-reasoning'),
    text: before.text || has('text-delta'),
    calls: before.calls || has('tool-call-start'),
  };
}
