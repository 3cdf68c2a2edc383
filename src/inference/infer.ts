import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { SurfaceTag } from '../core/model.ts';
import type { Usage } from '../core/usage.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import { openFirst } from '../routing/router.ts';
import type { VainWait } from '../routing/routed-request.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import { Bill } from './bill.ts';
import { demandOf } from './demand.ts';
import type { ExpectedOutput } from './expected-output.ts';
import { fitted } from './fit.ts';
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
  current(): { readonly catalog: Catalog; readonly upstream: (name: string) => LiveUpstream | undefined };
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

  /** All that was learned, once the answer is over or there is none. Waits until it is charged, where that is due. */
  async story(): Promise<Inferred> {
    const charged = await settled(this.#bill);
    const [attempts, vainWait, startedMs] = [[...this.#attempts], this.#vainWait, this.#startedMs];
    return inferred({ model: this.#model, attempts, vainWait, bill: this.#bill, startedMs, ...charged });
  }

  /** The whole gateway on one screen: may this caller use this model, does the request fit, who pays, who answers. */
  async #open(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
    const { caller, signal, waits } = inquiry;
    const { catalog, upstream } = parts.current();
    const model = catalog.require(caller, inquiry.request.model, inquiry.surface);
    this.#model = model.id;
    const request = fitted(model, inquiry.request);
    const { price, contextWindow } = model;
    const { accountId, keyId, spendCap } = caller.key;
    const countTokens = (texts: readonly string[]) => parts.counter.count(texts, accountId);
    const name = { requestId: inquiry.id, accountId, keyId, spendCap };
    const hold = await parts.wallet.hold({ ...name, priceVersion: price.version }, mostItCosts(model, request));
    hold.whenLost(inquiry.end);
    const tally = new Tally(request, countTokens);
    const used = (usage: Usage) => parts.expected.learn(accountId, model.id, usage.completionTokens / request.choices);
    const bill = new Bill({ tally, price, hold, contextWindow, signal, used });
    this.#bill = bill;
    try {
      const reached = await openFirst({ ...parts.router, upstream }, model, request, {
        demand: demandOf(caller, model, request, { weight: catalog.weightOf(caller), expected: parts.expected }),
        signal,
        deadlineMs: deadline(parts.router, inquiry),
        attempted: (attempt) => void this.#attempts.push(attempt),
        calls: bill,
        gaveUp: (wait) => void (this.#vainWait = wait),
        waits,
        countTokens: async (text) => (await countTokens([text]))[0] ?? 0,
      });
      const flow = new Meter(reached.flow, bill, parts.onTrouble);
      return { model: model.id, upstream: reached.candidate.route.upstream, flow };
    } catch (error) {
      // Nothing came of it; its story waits for the receipt, and says what went wrong with that.
      void bill.settle().catch(() => undefined);
      throw withFigures(error, model, request);
    }
  }
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
function deadline({ clock, waitMaxMs }: RouterOptions, { giveUpMs }: Inquiry): number {
  return Math.min(clock.elapsed() + waitMaxMs(), giveUpMs ?? Number.POSITIVE_INFINITY);
}
