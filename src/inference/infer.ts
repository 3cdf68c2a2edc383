import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { SurfaceTag } from '../core/model.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import { openFirst } from '../routing/router.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import { Bill } from './bill.ts';
import { demandOf } from './demand.ts';
import type { ExpectedOutput } from './expected-output.ts';
import { fitted } from './fit.ts';
import { Meter } from './meter.ts';
import { withFigures } from './overflow.ts';
import { mostItCosts } from './most-it-costs.ts';
import type { RequestDraft } from './request-draft.ts';
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
  /** Filled in on the way, whether the request succeeds or not. */
  readonly draft: RequestDraft;
}

/** The whole gateway on one screen: may this caller use this model, does the request fit, who pays, who answers. */
export async function infer(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
  const { caller, draft, signal, waits } = inquiry;
  const { catalog, upstream } = parts.current();
  const model = catalog.require(caller, inquiry.request.model, inquiry.surface);
  draft.model = model.id;
  const request = fitted(model, inquiry.request);
  const { price } = model;
  const { accountId, keyId, spendCap } = caller.key;
  const countTokens = (texts: readonly string[]) => parts.counter.count(texts, accountId);
  const name = { requestId: inquiry.id, accountId, keyId, spendCap };
  const hold = await parts.wallet.hold({ ...name, priceVersion: price.version }, mostItCosts(model, request));
  hold.whenLost(inquiry.end);
  const bill = new Bill({
    tally: new Tally(request, countTokens),
    price,
    hold,
    contextWindow: model.contextWindow,
    signal,
    used: (usage) => parts.expected.learn(accountId, model.id, usage.completionTokens / request.choices),
  });
  draft.bill = bill;
  try {
    const reached = await openFirst({ ...parts.router, upstream }, model, request, {
      demand: demandOf(caller, model, request, { weight: catalog.weightOf(caller), expected: parts.expected }),
      signal,
      deadlineMs: deadline(parts.router, inquiry),
      attempted: draft.attempted.bind(draft),
      calls: bill,
      gaveUp: draft.gaveUp.bind(draft),
      waits,
      countTokens: async (text) => (await countTokens([text]))[0] ?? 0,
    });
    const flow = new Meter(reached.flow, bill, parts.onTrouble);
    return { model: model.id, upstream: reached.candidate.route.upstream, flow };
  } catch (error) {
    // Nothing came of it; the record of the request waits for the receipt, and says what went wrong with it.
    void bill.settle().catch(() => undefined);
    throw withFigures(error, model, request);
  }
}

/** A request waits until the operator's bound or the client's patience is over, whichever comes first. */
function deadline({ clock, waitMaxMs }: RouterOptions, { giveUpMs }: Inquiry): number {
  return Math.min(clock.elapsed() + waitMaxMs(), giveUpMs ?? Number.POSITIVE_INFINITY);
}
