import type { Hold } from '../billing/hold.ts';
import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { assert } from '../core/assert.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { TellPromise } from '../core/guarantee.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { Patience } from '../core/patience.ts';
import type { Usage } from '../core/usage.ts';
import type { MeasuredFallback, MeasuredPromise } from '../requests/measured.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import type { Reached } from '../routing/reached.ts';
import { heardOut, RefusedAnswer } from '../routing/refused-answer.ts';
import { type Begun, openFirst } from '../routing/router.ts';
import type { VainWait } from '../routing/routed-request.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import { Bill, isGivenUp } from './bill.ts';
import { demandOf } from './demand.ts';
import type { ExpectedOutput } from './expected-output.ts';
import { fallBack } from './fall-back.ts';
import { fallbackReason, fallsBackOn } from './fallback-reason.ts';
import { fitted } from './fit.ts';
import { guaranteed } from './guaranteed.ts';
import { heldMoney } from './held-money.ts';
import { type Inferred, inferred, type Learned } from './inferred.ts';
import { Meter } from './meter.ts';
import { withFigures } from './overflow.ts';
import { mostItCosts } from './most-it-costs.ts';
import { Tally } from './tally.ts';
import type { TokenCounter } from './token-counter.ts';

/** An answer that has begun. */
export interface Answer {
  /** The catalog id of the model that answers, whatever alias was asked for. */
  readonly model: string;
  readonly upstream: string;
  readonly flow: EventFlow;
}

export interface InferenceParts {
  /** The catalog and the upstreams as they are now; a request keeps what it began with. */
  readonly current: () => { readonly catalog: Catalog; readonly upstream: (name: string) => LiveUpstream | undefined };
  readonly router: RouterOptions;
  readonly counter: TokenCounter;
  readonly expected: ExpectedOutput;
  readonly wallet: Pick<Wallet, 'hold'>;
  /** Hears of mistakes of our own that no client could be told in full. */
  readonly onTrouble: (error: unknown) => void;
}

export interface Inquiry {
  /** The request's id. */
  readonly id: string;
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** When the client will have given up, on the clock's `elapsed` scale; `undefined` when it does not say. */
  readonly giveUpMs: number | undefined;
  /** Told when the request begins to wait for a turn, and when that is over. */
  readonly waits: (isWaiting: boolean) => void;
  /** Ends the request with an error, wherever it is. */
  readonly end: (error: Error) => void;
  /** When it came, on the clock's `elapsed` scale. */
  readonly startedMs: number;
  /** Where the store could not be asked yet whether the key still is the caller's: nothing is done before it was. */
  readonly confirm?: ((patience: Patience) => Promise<void>) | undefined;
  /** The headers of its trace, if it is traced. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  /** Said of a request that has come to its first call already. */
  readonly begun?: BegunInference | undefined;
}

/** How far a request has come: it is paid for, and its first call is made. */
export interface BegunInference {
  readonly model: Model;
  /** As the model can take it. */
  readonly request: ChatRequest;
  readonly hold: Hold;
  readonly bill: Bill;
  readonly routed: Begun;
}

/** Asks for an answer. What is learned on the way is told in the end, whether the request succeeds or not. */
export function infer(parts: InferenceParts, inquiry: Inquiry): Inference {
  return new Inference(parts, inquiry);
}

/** What stays the same whichever model is asked. */
interface Asking extends ReturnType<InferenceParts['current']> {
  readonly parts: InferenceParts;
  readonly inquiry: Inquiry;
  /** When waiting has to end, at whichever model. */
  readonly deadlineMs: number;
}

/** A model, and the request as it can take it. */
interface Asked {
  readonly model: Model;
  readonly request: ChatRequest;
}

/** An answer with nothing said in it, for want of a better one. */
interface Kept extends Asked {
  readonly attempt: Attempt;
  readonly flow: EventFlow;
}

/** One request on its way to its answer. */
export class Inference {
  /** Resolves when the answer has begun. */
  readonly answer: Promise<Answer>;
  readonly #startedMs: number;
  readonly #attempts: Attempt[] = [];
  /** What became of other models than the one that was asked for. */
  readonly #notes: string[] = [];
  readonly #fallbacks: MeasuredFallback[] = [];
  readonly #promises: MeasuredPromise[] = [];
  #vainWait: VainWait | undefined;
  /** Whether the model that is asked had no place in time. */
  #hasWaitedInVain = false;
  #hold: Hold | undefined;
  #bill: Bill | undefined;
  #model: string | undefined;
  #kept: Kept | undefined;
  /** The attempt that gave the answer, where it is not the last. */
  #answered: Attempt | undefined;

  constructor(parts: InferenceParts, inquiry: Inquiry) {
    this.#startedMs = inquiry.startedMs;
    this.answer = this.#open(parts, inquiry);
  }

  /** The catalog id of the model that is asked, once it is known that the caller may use it. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Whether a provider is at work on it. */
  get isSent(): boolean {
    return this.#bill?.isSent ?? false;
  }

  /** All that was learned, once the answer is over or there is none. Waits until it is charged, where that is due. */
  async story(): Promise<Inferred> {
    const charged = await settled(this.#bill);
    const [attempts, notes, vainWait, startedMs] = [
      [...this.#attempts],
      [...this.#notes],
      this.#vainWait,
      this.#startedMs,
    ];
    const about = { model: this.#model, attempts, answered: this.#answered, notes, vainWait, startedMs };
    const [promises, fallbacks] = [[...this.#promises], [...this.#fallbacks]];
    return inferred({ ...about, promises, fallbacks, bill: this.#bill, ...charged });
  }

  /** Asks the model, and others in its place while nothing has come of it. If none is better, its own word counts. */
  async #open(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
    const { caller, begun } = inquiry;
    const now = parts.current();
    const model = begun?.model ?? now.catalog.require(caller, inquiry.request.model, inquiry.surface);
    const asking = { ...now, parts, inquiry, deadlineMs: deadline(parts.router, inquiry) };
    try {
      // Nothing is waited for before this: a call that is made already must find who hears its answer.
      return await this.#ask(asking, model, begun);
    } catch (error) {
      return (await this.#askOthers(asking, model, error)) ?? this.#end(withFigures(error, model, inquiry.request));
    }
  }

  /** The whole gateway on one screen: does the request fit this model, who pays, who answers. */
  async #ask(asking: Asking, model: Model, begun?: BegunInference): Promise<Answer> {
    const { parts, inquiry, catalog, upstream, deadlineMs } = asking;
    const { caller, signal, waits } = inquiry;
    this.#model = model.id;
    this.#hasWaitedInVain = false;
    const request = begun?.request ?? fitted(model, inquiry.request);
    if (begun) this.#isHeld(inquiry, begun.hold);
    else await this.#setAside(asking, { model, request });
    const bill = begun?.bill ?? this.#billFor(asking, { model, request });
    this.#bill = bill;
    const reached = await openFirst({ ...parts.router, upstream }, model, request, {
      demand: demandOf(caller, model, request, { weight: catalog.weightOf(caller), expected: parts.expected }),
      begun: begun?.routed,
      trace: inquiry.trace,
      signal,
      deadlineMs,
      attempted: (attempt) => void this.#attempts.push(attempt),
      calls: bill,
      gaveUp: (wait) => this.#gaveUp(wait),
      waits,
      countTokens: async (text) => (await parts.counter.count([text], caller.key.accountId))[0] ?? 0,
    });
    const heard = fallsBackOn(model, 'refusal') ? await this.#heardOut(reached, asking, { model, request }) : reached;
    const told: TellPromise = (promise, outcome) => void this.#promises.push({ model: model.id, promise, outcome });
    const flow = new Meter(guaranteed(heard, { model, request, upstream, told }), bill, parts.onTrouble);
    return { model: model.id, upstream: heard.candidate.route.upstream, flow };
  }

  /** An answer with nothing said in it is put aside while others are asked. */
  async #heardOut({ flow, candidate }: Reached, { inquiry }: Asking, asked: Asked): Promise<Reached> {
    try {
      return { flow: await heardOut(flow, (events) => this.#bill?.heardEarly(events)), candidate };
    } catch (error) {
      const attempt = this.#attempts.pop();
      assert(attempt !== undefined, 'whoever answered was asked');
      if (error instanceof RefusedAnswer) this.#kept ??= { ...asked, attempt, flow: error.flow };
      const said = error instanceof RefusedAnswer ? new GatewayError('upstream-rejected', { cause: error }) : error;
      this.#attempts.push({ ...attempt, error: said });
      // Who left while the provider was at work pays for that.
      if (!inquiry.signal.aborted) this.#bill?.undone();
      throw error;
    }
  }

  async #askOthers(asking: Asking, first: Model, failure: unknown): Promise<Answer | undefined> {
    const { catalog, inquiry } = asking;
    const { signal } = inquiry;
    try {
      const answer = await fallBack(first, failure, {
        find: (name) => catalog.find(inquiry.caller, name, inquiry.surface),
        reason: (error) => (signal.aborted ? undefined : fallbackReason(error, this.#hasWaitedInVain)),
        ask: (model) => this.#ask(asking, model),
        isOver: () => signal.aborted,
        moved: (fallback) => void this.#fallbacks.push(fallback),
        note: (text) => void this.#notes.push(text),
      });
      if (answer) return answer;
    } catch (error) {
      this.#end(error);
    }
    this.#model = first.id;
    return this.#kept && this.#answerKept(asking, this.#kept);
  }

  /** Nobody was better: the answer that was put aside is passed on after all, at its own price. */
  #answerKept(asking: Asking, kept: Kept): Answer {
    const { model, attempt, flow } = kept;
    this.#model = model.id;
    this.#answered = attempt;
    this.#hold?.reprice(model.price.version);
    const bill = this.#billFor(asking, kept);
    this.#bill = bill;
    return { model: model.id, upstream: attempt.upstream, flow: new Meter(flow, bill, asking.parts.onTrouble) };
  }

  /** One request has one hold: a dearer model is asked when so much more could be set aside, and not before. */
  async #setAside({ parts, inquiry, deadlineMs }: Asking, { model, request }: Asked): Promise<void> {
    const amount = mostItCosts(model, request);
    const hold = this.#hold;
    if (!hold) {
      const asked = { model, amount, bytes: request.wire.bytes, deadlineMs };
      return this.#isHeld(inquiry, await heldMoney(parts, inquiry, asked));
    }
    await hold.widen(amount);
    assert(hold.amount >= amount, 'no model is asked for more than is held');
    hold.reprice(model.price.version);
  }

  #isHeld({ end }: Inquiry, hold: Hold): void {
    this.#hold = hold;
    hold.whenLost(end);
  }

  #billFor({ parts, inquiry }: Asking, asked: Asked): Bill {
    const { caller, signal } = inquiry;
    const hold = this.#hold;
    assert(hold !== undefined, 'nothing is billed that nothing is held for');
    return openBill(parts, {
      ...asked,
      accountId: caller.key.accountId,
      hold,
      isGivenUp: () => isGivenUp(signal),
    });
  }

  #gaveUp({ waitMs, position }: VainWait): void {
    this.#hasWaitedInVain = true;
    const before = this.#vainWait;
    this.#vainWait = { waitMs: waitMs + (before?.waitMs ?? 0), position: before?.position ?? position };
  }

  /** Nothing came of it; its story waits for the receipt, and says what went wrong with that. */
  #end(reason: unknown): never {
    void this.#bill?.settle().catch(() => undefined);
    throw reason;
  }
}

interface Billed {
  readonly accountId: string;
  readonly model: Model;
  readonly request: ChatRequest;
  readonly hold: Hold;
  readonly isGivenUp: () => boolean;
}

/** The bill of a request that money is held for; whatever its answer uses is learned from. */
export function openBill(parts: Pick<InferenceParts, 'counter' | 'expected' | 'router'>, billed: Billed): Bill {
  const { accountId, model, request, hold } = billed;
  const { price, contextWindow } = model;
  const countTokens = (texts: readonly string[]) => parts.counter.count(texts, accountId);
  const used = (usage: Usage) => parts.expected.learn(accountId, model.id, usage.completionTokens / request.choices);
  const tally = new Tally(request, countTokens);
  const { elapsed } = parts.router.clock;
  return new Bill({ tally, price, hold, contextWindow, isGivenUp: billed.isGivenUp, used, elapsed });
}

/** A charge that failed is a mistake of ours; the request is recorded all the same. */
async function settled(bill: Bill | undefined): Promise<Pick<Learned, 'receipt' | 'mistake'>> {
  try {
    return { receipt: await bill?.settle(), mistake: undefined };
  } catch (mistake) {
    return { receipt: undefined, mistake };
  }
}

/** A request waits until the operator's bound or the client's patience is over, whichever comes first. */
export function deadline({ clock, waitMaxMs }: RouterOptions, { giveUpMs }: Pick<Inquiry, 'giveUpMs'>): number {
  return Math.min(clock.elapsed() + waitMaxMs(), giveUpMs ?? Number.POSITIVE_INFINITY);
}
