import type { EventFlow } from '../chat/event-flow.ts';
import { EventRelay } from '../chat/event-relay.ts';
import type { ConstraintName, ReportConstraint } from '../chat/guarantee.ts';
import type { ChoiceEvent, StreamEvent } from '../chat/stream-event.ts';
import { UsageWait, usageWaitMs } from '../chat/usage-wait.ts';
import { CappedChoice, type ChoiceCutter, StoppedChoice } from './choice-cutters.ts';

interface GateTimer {
  unref(): void;
}

/** The part of a clock that a gate needs. */
interface GateClock {
  readonly after: (delayMs: number, work: () => void) => GateTimer;
  readonly cancel: (timer: GateTimer | undefined) => void;
}

/** The limits at which an answer is cut off. */
export interface CuttingTerms {
  readonly choices: number;
  readonly stop?: readonly string[] | undefined;
  readonly maxTokens?: number | undefined;
  readonly report?: ReportConstraint | undefined;
  /** Timer for the wait for usage after a cut. Without a clock, the provider is cancelled at once. */
  readonly clock?: GateClock | undefined;
}

/**
 * Ends choices where the provider should have ended them: before a stop sequence, and at the token cap. When every
 * choice has ended, the gate waits for the usage and then cancels the provider; the wait has a time limit. Other events
 * after the cut are ignored, so the answer does not depend on how its bytes arrive.
 */
export class CuttingGate extends EventRelay {
  readonly #provider: EventFlow;
  readonly #terms: CuttingTerms;
  readonly #choices = new Map<number, CutChoice>();
  /** Number of requested choices that have not ended. */
  #running: number;
  /** Whether frames of the provider were passed on unchanged. */
  #hasPassed = false;
  /** The end of the answer, during the wait for usage. */
  #pendingEnd:
    | { readonly finishes: readonly StreamEvent[]; readonly wait: UsageWait; readonly timer: GateTimer }
    | undefined;

  #isFinished = false;

  constructor(source: EventFlow, terms: CuttingTerms) {
    super(source);
    this.#provider = source;
    this.#terms = terms;
    this.#running = terms.choices;
  }

  override pause(): void {
    if (!this.#pendingEnd) super.pause();
  }

  override events(batch: readonly StreamEvent[]): void {
    if (this.#pendingEnd) return this.#takeUsage(this.#pendingEnd.wait, batch);
    const passed: StreamEvent[] = [];
    let from = 0;
    for (const [at, event] of batch.entries()) {
      if (event.type === 'verbatim') {
        // A stop sequence may end inside the frame, or its beginning must be held back. So the answer is encoded again.
        if (this.#terms.stop) continue;
        this.#hasPassed ||= passed[from]?.type === 'verbatim';
        from = passed.length;
      }
      if (!('choice' in event)) passed.push(event);
      else if (this.#cuts(event, passed) && this.#running === 0) {
        return this.#cut(this.#ending(passed, from), batch.slice(at + 1));
      }
    }
    this.#hasPassed ||= passed[from]?.type === 'verbatim';
    if (passed.length > 0) super.events(passed);
  }

  override end(): void {
    if (this.#pendingEnd) return this.#finish([]);
    this.#releaseAll();
    super.end();
  }

  override fail(error: unknown): void {
    // The client already has its complete answer.
    if (this.#pendingEnd) return this.#finish([]);
    this.#releaseAll();
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    const { report, stop, maxTokens, clock } = this.#terms;
    clock?.cancel(this.#pendingEnd?.timer);
    if (how !== 'ended' || !report) return;
    const cutBy = new Set(
      [...this.#choices].map(([index, { cutBy: by }]) => (this.#isRequested(index) ? by : undefined)),
    );
    if (stop) report('stop', cutBy.has('stop') ? 'repaired' : 'met');
    if (maxTokens !== undefined) report('max_tokens', cutBy.has('max_tokens') ? 'repaired' : 'met');
  }

  /** Returns whether the event made this gate end a requested choice. */
  #cuts(event: ChoiceEvent, passed: StreamEvent[]): boolean {
    const choice = this.#choices.get(event.choice) ?? new CutChoice(this.#terms);
    this.#choices.set(event.choice, choice);
    if (choice.isOver) return false;
    choice.pass(event, passed);
    if (!choice.isOver || !this.#isRequested(event.choice)) return false;
    this.#running -= 1;
    return choice.cutBy !== undefined;
  }

  /** Choices beyond the requested number are also cut, but they are not waited for and not reported. */
  #isRequested(choice: number): boolean {
    return choice < this.#terms.choices;
  }

  /**
   * Returns the last events of an answer that was cut. A frame of the provider may extend past the cut. If no frame was
   * passed on yet, the answer is encoded again. Otherwise it ends after the previous frame.
   */
  #ending(passed: StreamEvent[], from: number): readonly StreamEvent[] {
    for (const [choice, { isOver }] of this.#choices) {
      if (!isOver) passed.push({ type: 'finish', choice, reason: 'length', raw: 'length' });
    }
    const finish = passed.at(-1);
    if (!this.#hasPassed || finish?.type !== 'finish') return passed.filter(({ type }) => type !== 'verbatim');
    const before = passed.filter((event, at) => at < from || (event.type !== 'verbatim' && !('choice' in event)));
    return [...before, { ...finish, breaksOff: true }];
  }

  /** Sends all text to the client at once. The finish events follow with the usage, or after the time limit. */
  #cut(last: readonly StreamEvent[], rest: readonly StreamEvent[]): void {
    const wait = new UsageWait();
    const usage = wait.read(rest);
    const { clock } = this.#terms;
    if (wait.isOver || !clock) return this.#finish([...last, ...usage]);
    const content = last.filter(({ type }) => type !== 'finish');
    const timer = clock.after(usageWaitMs, () => this.#finish([]));
    this.#pendingEnd = { finishes: last.filter(({ type }) => type === 'finish'), wait, timer };
    // Resume even if the client reads slowly: it receives nothing of what comes now.
    this.#provider.resume();
    if (content.length > 0) super.events(content);
  }

  #takeUsage(wait: UsageWait, batch: readonly StreamEvent[]): void {
    const usage = wait.read(batch);
    if (wait.isOver) this.#finish(usage);
  }

  #finish(last: readonly StreamEvent[]): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#provider.cancel();
    super.events([...(this.#pendingEnd?.finishes ?? []), ...last]);
    super.end();
  }

  #releaseAll(): void {
    const held: StreamEvent[] = [];
    for (const choice of this.#choices.values()) choice.release(held);
    if (held.length > 0) super.events(held);
  }
}

/** Passes the events of one choice through all cutters, one after the other. */
class CutChoice {
  readonly #cutters: readonly ChoiceCutter[];
  /** Whether the choice has ended, for any reason. */
  isOver = false;

  constructor({ stop, maxTokens }: CuttingTerms) {
    this.#cutters = [
      ...(stop ? [new StoppedChoice(stop)] : []),
      ...(maxTokens === undefined ? [] : [new CappedChoice(maxTokens)]),
    ];
  }

  get cutBy(): ConstraintName | undefined {
    return this.#cutters.findLast(({ isCut }) => isCut)?.constraint;
  }

  pass(event: ChoiceEvent, passed: StreamEvent[]): void {
    this.#from(0, [event], passed);
  }

  release(passed: StreamEvent[]): void {
    this.#cutters.forEach((cutter, at) => {
      if (!this.isOver) this.#from(at + 1, cutter.release(), passed);
    });
  }

  /** Passes events through the cutters from an index on. */
  #from(at: number, events: readonly ChoiceEvent[], passed: StreamEvent[]): void {
    const cutter = this.#cutters[at];
    for (const event of events) {
      if (this.isOver) return;
      if (cutter) this.#from(at + 1, cutter.pass(event), passed);
      else {
        passed.push(event);
        this.isOver = event.type === 'finish';
      }
    }
  }
}
