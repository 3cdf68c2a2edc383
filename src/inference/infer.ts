import type { Hold } from '../billing/hold.ts';
import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { Patience } from '../core/patience.ts';
import type { Usage } from '../core/usage.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import { type Begun, openFirst } from '../routing/router.ts';
import type { VainWait } from '../routing/routed-request.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import { Bill, isGivenUp } from './bill.ts';
import { demandOf } from './demand.ts';
import type { ExpectedOutput } from './expected-output.ts';
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
  /** The catalog id, whatever alias was asked for. */
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

/** One request on its way to its answer. */
export class Inference {
  /** Resolves when the answer has begun. */
  readonly answer: Promise<Answer>;
  readonly #startedMs: number;
  readonly #attempts: Attempt[] = [];
  #vainWait: VainWait | undefined;
  #bill: Bill | undefined;
  #model: string | undefined;

  constructor(parts: InferenceParts, inquiry: Inquiry) {
    this.#startedMs = inquiry.startedMs;
    this.answer = this.#open(parts, inquiry);
  }

  /** The catalog id, once it is known that the caller may use it. */
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
    const [attempts, vainWait, startedMs] = [[...this.#attempts], this.#vainWait, this.#startedMs];
    return inferred({ model: this.#model, attempts, vainWait, bill: this.#bill, startedMs, ...charged });
  }

  /** The whole gateway on one screen: may this caller use this model, does the request fit, who pays, who answers. */
  async #open(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
    const { caller, signal, waits, begun } = inquiry;
    const { catalog, upstream } = parts.current();
    const { accountId } = caller.key;
    const model = begun?.model ?? catalog.require(caller, inquiry.request.model, inquiry.surface);
    this.#model = model.id;
    const request = begun?.request ?? fitted(model, inquiry.request);
    const deadlineMs = deadline(parts.router, inquiry);
    const asked = { model, amount: mostItCosts(model, request), bytes: request.wire.bytes, deadlineMs };
    const hold = begun?.hold ?? (await heldMoney(parts, inquiry, asked));
    hold.whenLost(inquiry.end);
    const bill =
      begun?.bill ?? openBill(parts, { accountId, model, request, hold, isGivenUp: () => isGivenUp(signal) });
    this.#bill = bill;
    try {
      const reached = await openFirst({ ...parts.router, upstream }, model, request, {
        demand: demandOf(caller, model, request, { weight: catalog.weightOf(caller), expected: parts.expected }),
        begun: begun?.routed,
        trace: inquiry.trace,
        signal,
        deadlineMs,
        attempted: (attempt) => void this.#attempts.push(attempt),
        calls: bill,
        gaveUp: (wait) => void (this.#vainWait = wait),
        waits,
        countTokens: async (text) => (await parts.counter.count([text], accountId))[0] ?? 0,
      });
      const flow = new Meter(guaranteed(reached, model, request, upstream), bill, parts.onTrouble);
      return { model: model.id, upstream: reached.candidate.route.upstream, flow };
    } catch (error) {
      // Nothing came of it; its story waits for the receipt, and says what went wrong with that.
      void bill.settle().catch(() => undefined);
      throw withFigures(error, model, request);
    }
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
