import { worstCase } from '../billing/cost.ts';
import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { Nano } from '../core/money.ts';
import type { Visitor } from '../routing/fair-queue/visitor.ts';
import type { Lane } from '../routing/options.ts';
import { promptTokensIn, requestCost } from '../routing/request-cost.ts';
import { openFirst, type RouterOptions } from '../routing/router.ts';
import { Bill } from './bill.ts';
import { fitted } from './fit.ts';
import { Meter } from './meter.ts';
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
  current(): { readonly catalog: Catalog; readonly lane: (name: string) => Lane | undefined };
  readonly router: RouterOptions;
  readonly counter: TokenCounter;
  readonly wallet: Pick<Wallet, 'hold'>;
}

export interface Inquiry {
  /** The request's id. */
  readonly id: string;
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  /** Filled in on the way, whether the request succeeds or not. */
  readonly draft: RequestDraft;
}

/** The whole gateway on one screen: may this caller use this model, does the request fit, who pays, who answers. */
export async function infer(parts: InferenceParts, inquiry: Inquiry): Promise<Answer> {
  const { caller, draft, signal } = inquiry;
  const { catalog, lane } = parts.current();
  const model = catalog.require(caller, inquiry.request.model, inquiry.surface);
  draft.model = model.id;
  const request = fitted(model, inquiry.request);
  const { price } = model;
  const { accountId, keyId, spendCap } = caller.key;
  const name = { requestId: inquiry.id, accountId, keyId, spendCap };
  const hold = await parts.wallet.hold({ ...name, priceVersion: price.version }, mostItCosts(model, request));
  try {
    const attempted = draft.attempted.bind(draft);
    const countTokens = async (text: string): Promise<number> => (await parts.counter.count([text]))[0] ?? 0;
    const deadlineMs = parts.router.clock.elapsed() + parts.router.waitMaxMs();
    const trip = { signal, deadlineMs, attempted, countTokens, visitor: visitorOf(caller, request) };
    const opened = await openFirst({ ...parts.router, lane }, model, request, trip);
    const tally = new Tally(request, parts.counter);
    draft.bill = new Bill({ tally, price, hold, contextWindow: model.contextWindow });
    return { model: model.id, upstream: opened.route.upstream, flow: new Meter(opened.flow, draft.bill) };
  } catch (error) {
    hold.void();
    throw error;
  }
}

/** What will be said is known only where the client caps it. */
function visitorOf({ key: { accountId, keyId } }: Caller, { wire: { bytes }, maxTokens = 0 }: ChatRequest): Visitor {
  return { accountId, keyId, weight: 1, cost: requestCost(promptTokensIn(bytes), maxTokens), bytes };
}

/** Where neither the client nor the catalog caps the output, this is held for it. */
const outputTokensUnlessSaid = 32_768;

function mostItCosts(model: Model, request: ChatRequest): Nano {
  const cap = request.maxTokens ?? model.maxOutputTokens ?? model.contextWindow ?? outputTokensUnlessSaid;
  return worstCase({ promptBytes: request.wire.bytes, outputTokens: cap * request.choices }, model.price);
}
