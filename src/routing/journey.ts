import { delay } from '../core/delay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/model.ts';
import { choose } from './choice.ts';
import { enterAny } from './enter-any.ts';
import type { Turn, WaitOptions } from './lane-queue.ts';
import { best, isIn, type Lane, type Option, optionsOf, pausedMs, prospects, ready } from './options.ts';
import type { RouterParts, Trip } from './router.ts';
import { pauseMsOf, type Trouble, troubleOf } from './trouble.ts';

/** A place that a request has at an upstream, and what it is for. */
export interface Stand {
  readonly option: Option;
  readonly turn: Turn;
  /** Since when the request waited for it, pauses included. */
  readonly sinceMs: number;
}

/** How long a request waited for nothing, pauses included, and behind how many. */
export interface VainWait {
  readonly waitMs: number;
  readonly position: number;
}

/** Tries that need the budget's leave; the first failover to a healthy channel is free. */
const retriesMax = 2;
/** The pause before another try at the same channel is drawn from nothing up to this, doubled each time. */
const jitterMs = 250;

/** One request's search for an upstream that answers: where it may go next, and when it must give up. */
export class Journey {
  readonly #parts: RouterParts;
  readonly #trip: Trip;
  readonly #conversation: () => string | undefined;
  readonly #options: readonly Option[];
  readonly #tried = new Set<Option>();
  #wait: WaitOptions;
  #sinceMs: number;
  #retries = 0;
  #hasFailedOver = false;
  #endRetry: () => void = () => {};

  constructor(parts: RouterParts, model: Model, trip: Trip, conversation: () => string | undefined) {
    this.#parts = parts;
    this.#trip = trip;
    this.#conversation = conversation;
    this.#options = optionsOf(model, parts.lane);
    if (this.#options.length === 0) throw failed(`${model.id} has no usable route`);
    this.#sinceMs = parts.clock.elapsed();
    this.#wait = trip;
  }

  /** Waits for a place at the best upstream there is. */
  async enter(): Promise<Stand> {
    for (;;) {
      const options = best(this.#left());
      const stand = this.#enterAtOnce(options) ?? (await this.#enterInTurn(options));
      if (stand) return this.#rested(stand);
    }
  }

  /** Where to go after a failure; throws it when that was the last try. The place it was made at is taken over. */
  async goOn({ option, turn }: Stand, error: unknown): Promise<Stand> {
    const trouble = this.#troubleAfter(error);
    if (trouble === 'busy') return this.#makeWay(option, turn, error);
    try {
      await this.#mayTryAgain(option, trouble, error);
    } catch (end) {
      // The estimate stands: whose requests all fail must not be let in before all others.
      turn.leave();
      throw end;
    }
    const next = this.#choose(best(this.#left()).filter(({ lane }) => lane === option.lane));
    if (next) return this.#rested(this.#stand(next, turn));
    turn.leave(0);
    return this.enter();
  }

  /** Where to go when an answer broke off; its place has been given back. */
  async startOver(option: Option, error: unknown): Promise<Stand> {
    const { clock, waitMaxMs } = this.#parts;
    this.#wait = { signal: this.#trip.signal, deadlineMs: clock.elapsed() + waitMaxMs() };
    await this.#mayTryAgain(option, this.#troubleAfter(error), error);
    return this.enter();
  }

  /** The last try is over: what the budget lent for it goes back. */
  rest(): void {
    this.#endRetry();
  }

  #troubleAfter(error: unknown): Trouble {
    this.rest();
    this.#sinceMs = this.#parts.clock.elapsed();
    return this.#trip.signal.aborted ? 'final' : troubleOf(error);
  }

  #stand(option: Option, turn: Turn): Stand {
    return { option, turn, sinceMs: this.#sinceMs };
  }

  #enterAtOnce(options: readonly Option[]): Stand | undefined {
    for (let rest = options; rest.length > 0; ) {
      const option = this.#choose(best(rest));
      const turn = option?.lane.queue.tryEnter(this.#trip.visitor);
      if (option && turn) return this.#stand(option, turn);
      rest = rest.filter(({ lane }) => lane !== option?.lane);
    }
    return undefined;
  }

  /** Nothing if the lane that had a place first has meanwhile become a bad choice. */
  async #enterInTurn(options: readonly Option[]): Promise<Stand | undefined> {
    const lanes = [...new Set(options.map(({ lane }) => lane))];
    const position = Math.min(...lanes.map(({ queue }) => queue.waiting));
    const { lane, turn } = await this.#inLine(position, () => enterAny(lanes, this.#trip.visitor, this.#wait));
    const option = this.#choose(best(this.#left()).filter((each) => each.lane === lane));
    if (option) return this.#stand(option, turn);
    turn.leave(0);
    return undefined;
  }

  /** Keeps the place until the provider may be asked again: whoever comes later waits behind, in order. */
  async #rested(stand: Stand): Promise<Stand> {
    let { option } = stand;
    try {
      while (pausedMs(option) > 0) {
        await this.#inLine(stand.turn.position, () => this.#pauseAt(option));
        option = this.#choose(this.#at(option.lane)) ?? option;
      }
    } catch (error) {
      stand.turn.leave(0);
      throw error;
    }
    return { ...stand, option };
  }

  async #pauseAt(option: Option): Promise<void> {
    const leftMs = this.#wait.deadlineMs - this.#parts.clock.elapsed();
    if (leftMs <= 0) throw new GatewayError('overloaded');
    await delay(this.#parts.clock, Math.min(Math.ceil(pausedMs(option)), leftMs), this.#wait.signal);
  }

  /** The provider has no room: another one that has some now, or else the head of the same queue. */
  async #makeWay(option: Option, turn: Turn, error: unknown): Promise<Stand> {
    const others = ready(this.#left());
    const here = this.#choose(others.filter((other) => other !== option && other.lane === option.lane));
    if (here) return this.#stand(here, turn);
    const elsewhere = this.#enterAtOnce(others.filter(({ lane }) => lane !== option.lane));
    if (elsewhere) {
      turn.leave(0);
      return elsewhere;
    }
    const { signal, deadlineMs } = this.#wait;
    const wait = { signal, deadlineMs, pauseMs: pauseMsOf(error) };
    const next = await this.#inLine(turn.position, () => turn.again(wait));
    return this.#rested(this.#stand(this.#choose(this.#at(option.lane)) ?? option, next));
  }

  /** Others may want to know that it waits: a process that is to end ends those first. */
  async #inLine<Result>(position: number, wait: () => Promise<Result>): Promise<Result> {
    this.#trip.waits(true);
    try {
      this.#wait.signal.throwIfAborted();
      return await wait();
    } catch (error) {
      this.#trip.gaveUp({ waitMs: this.#parts.clock.elapsed() - this.#sinceMs, position });
      throw error;
    } finally {
      this.#trip.waits(false);
    }
  }

  async #mayTryAgain(option: Option, trouble: Trouble, error: unknown): Promise<void> {
    if (trouble === 'final') throw error;
    this.#setAside(option, trouble);
    const left = this.#left();
    if (left.length === 0) return this.#mayRepeat(option, trouble, error);
    if (!this.#hasFailedOver && left.some(({ channel }) => isIn(channel))) this.#hasFailedOver = true;
    else this.#borrowRetry(error);
  }

  /** The same channel again, if it is not known to be down and did not take all the time there was. A busy one is rested first. */
  async #mayRepeat(option: Option, trouble: Trouble, error: unknown): Promise<void> {
    if ((trouble !== 'failure' && trouble !== 'busy') || !isIn(option.channel)) throw error;
    this.#borrowRetry(error);
    for (const each of this.#tried) if (each.route === option.route) this.#tried.delete(each);
    await delay(this.#parts.clock, this.#parts.random() * jitterMs * 2 ** (this.#retries - 1), this.#wait.signal);
  }

  #borrowRetry(error: unknown): void {
    const giveBack = this.#retries < retriesMax ? this.#parts.budget.take() : undefined;
    if (!giveBack) throw error;
    this.#retries += 1;
    this.#endRetry = giveBack;
  }

  /** A refused credential is refused on every route, and says nothing about the others; any other failure would meet them too. */
  #setAside({ route, channel }: Option, trouble: Trouble): void {
    for (const each of this.#options) {
      if (trouble === 'credential' ? each.channel === channel : each.route === route) this.#tried.add(each);
    }
  }

  #left(): readonly Option[] {
    return this.#tried.size === 0 ? this.#options : this.#options.filter((option) => !this.#tried.has(option));
  }

  #at(there: Lane): readonly Option[] {
    return best(this.#left().filter(({ lane }) => lane === there));
  }

  #choose(options: readonly Option[]): Option | undefined {
    if (options.length < 2) return options[0];
    return choose(prospects(options), this.#parts.random, this.#conversation())?.option;
  }
}

function failed(why: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(why) });
}
