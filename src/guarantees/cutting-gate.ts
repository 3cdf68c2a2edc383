import type { Clock, Timer } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { EventRelay } from '../core/event-relay.ts';
import type { ConstraintName, ReportConstraint } from '../core/guarantee.ts';
import type { ChoiceEvent, StreamEvent } from '../core/stream-event.ts';
import { UsageWait, usageWaitMs } from '../core/usage-wait.ts';
import { CappedChoice } from './capped-choice.ts';
import type { ChoiceCutter } from './choice-cutter.ts';
import { StoppedChoice } from './stopped-choice.ts';

/** What an answer is to be cut off by. */
export interface CuttingTerms {
  /** How many answers there will be. */
  readonly choices: number;
  readonly stop?: readonly string[] | undefined;
  readonly maxTokens?: number | undefined;
  readonly told?: ReportConstraint | undefined;
  /** Gives the provider time to say what an answer used that was cut off; it is let go at once where it has none. */
  readonly clock?: Clock | undefined;
}

/**
 * Ends choices where their provider should have: before a stop sequence, and at the cap on tokens. When every choice has
 * ended, the provider is let go as soon as it has said what the answer used, or does not say it in time. Nothing else that
 * it says after that counts, so that an answer is the same however its bytes come.
 */
export class CuttingGate extends EventRelay {
  readonly #provider: EventFlow;
  readonly #terms: CuttingTerms;
  readonly #choices = new Map<number, CutChoice>();
  /** Choices that have not ended. */
  #running: number;
  /** Whether a client of the provider's own format has been sent something as it came. */
  #hasPassed = false;
  /** How the answer ends, while its provider may still say what it used. */
  #ends: { readonly finishes: readonly StreamEvent[]; readonly wait: UsageWait; readonly timer: Timer } | undefined;

  #isLetGo = false;

  constructor(source: EventFlow, terms: CuttingTerms) {
    super(source);
    this.#provider = source;
    this.#terms = terms;
    this.#running = terms.choices;
  }

  override pause(): void {
    if (!this.#ends) super.pause();
  }

  override events(batch: readonly StreamEvent[]): void {
    if (this.#ends) return this.#waited(this.#ends.wait, batch);
    const passed: StreamEvent[] = [];
    let from = 0;
    for (const [at, event] of batch.entries()) {
      if (event.type === 'verbatim') {
        // A stop sequence may end inside it, and its beginning may have to be held back: then the answer is built anew.
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
    if (this.#ends) return this.#letGo([]);
    this.#releaseAll();
    super.end();
  }

  override fail(error: unknown): void {
    // The client has all of its answer.
    if (this.#ends) return this.#letGo([]);
    this.#releaseAll();
    super.fail(error);
  }

  protected override closed(how: 'ended' | 'failed' | 'cancelled'): void {
    const { told, stop, maxTokens, clock } = this.#terms;
    clock?.cancel(this.#ends?.timer);
    if (how !== 'ended' || !told) return;
    const cutBy = new Set(
      [...this.#choices].map(([index, { cutBy: by }]) => (this.#isAskedFor(index) ? by : undefined)),
    );
    if (stop) told('stop', cutBy.has('stop') ? 'mended' : 'kept');
    if (maxTokens !== undefined) told('max_tokens', cutBy.has('max_tokens') ? 'mended' : 'kept');
  }

  /** Whether the event has brought a choice to its end here. */
  #cuts(event: ChoiceEvent, passed: StreamEvent[]): boolean {
    const choice = this.#choices.get(event.choice) ?? new CutChoice(this.#terms);
    this.#choices.set(event.choice, choice);
    if (choice.isOver) return false;
    choice.pass(event, passed);
    if (!choice.isOver || !this.#isAskedFor(event.choice)) return false;
    this.#running -= 1;
    return choice.cutBy !== undefined;
  }

  /** Choices that nobody asked for are cut as well, but not waited for, and nothing is told of them. */
  #isAskedFor(choice: number): boolean {
    return choice < this.#terms.choices;
  }

  /**
   * The last events of an answer that was cut. What a provider of the client's own format wrote of it goes on past the cut:
   * where nothing has gone out as it came, the answer is built anew; else it ends behind the frame before.
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

  /** The client gets all that was said at once; the finishes go with the usage, if that comes in time. */
  #cut(last: readonly StreamEvent[], rest: readonly StreamEvent[]): void {
    const wait = new UsageWait();
    const usage = wait.hear(rest);
    const { clock } = this.#terms;
    if (wait.isOver || !clock) return this.#letGo([...last, ...usage]);
    const said = last.filter(({ type }) => type !== 'finish');
    const timer = clock.after(usageWaitMs, () => this.#letGo([]));
    this.#ends = { finishes: last.filter(({ type }) => type === 'finish'), wait, timer };
    // However far behind the reader is: nothing of what comes now goes to it.
    this.#provider.resume();
    if (said.length > 0) super.events(said);
  }

  #waited(wait: UsageWait, batch: readonly StreamEvent[]): void {
    const usage = wait.hear(batch);
    if (wait.isOver) this.#letGo(usage);
  }

  #letGo(last: readonly StreamEvent[]): void {
    if (this.#isLetGo) return;
    this.#isLetGo = true;
    this.#provider.cancel();
    super.events([...(this.#ends?.finishes ?? []), ...last]);
    super.end();
  }

  #releaseAll(): void {
    const held: StreamEvent[] = [];
    for (const choice of this.#choices.values()) choice.release(held);
    if (held.length > 0) super.events(held);
  }
}

/** One choice on its way past all that may cut it off, one after the other. */
class CutChoice {
  readonly #cutters: readonly ChoiceCutter[];
  /** Ended, by whatever. */
  isOver = false;

  constructor({ stop, maxTokens }: CuttingTerms) {
    this.#cutters = [
      ...(stop ? [new StoppedChoice(stop)] : []),
      ...(maxTokens === undefined ? [] : [new CappedChoice(maxTokens)]),
    ];
  }

  get cutBy(): ConstraintName | undefined {
    return this.#cutters.findLast(({ isCut }) => isCut)?.promise;
  }

  pass(event: ChoiceEvent, passed: StreamEvent[]): void {
    this.#from(0, [event], passed);
  }

  release(passed: StreamEvent[]): void {
    this.#cutters.forEach((cutter, at) => {
      if (!this.isOver) this.#from(at + 1, cutter.release(), passed);
    });
  }

  /** Takes events past the cutters from one of them on. */
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
