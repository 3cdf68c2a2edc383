import { worstCase } from '../../money/billing/ledger/cost.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { HttpFault } from '../http/fault.ts';
import { isSimpleExchange, type Exchange, type SimpleExchange } from '../http/exchange.ts';
import { WorkScheduler } from '../http/load/work-scheduler.ts';
import type { Bill } from '../inference/money/bill.ts';
import { demandOf } from '../inference/demand.ts';
import { fitRequest } from '../inference/fit.ts';
import { enforcedConstraintsFor } from '../inference/constraints/guaranteed.ts';
import { holdName } from '../inference/money/held-money.ts';
import type { StartedInference } from '../inference/inference-input.ts';
import { isOnlyCap, enforcedConstraints } from 'chat-formats/guarantees/enforced-constraints.ts';
import { maxUsage } from '../inference/money/max-usage.ts';
import { openBill } from '../inference/money/request-money.ts';
import { canContinue } from '../routing/answers/continued-flow.ts';
import { callOf, conversationNamed, searchFor } from '../routing/router.ts';
import type { RouterParts } from '../routing/router-parts.ts';
import { bearerSecret } from '../surfaces/caller.ts';
import { chatErrorFrame, chatFormat } from '../surfaces/chat-completions.ts';
import { hasFields } from '../surfaces/ignored-fields.ts';
import { decoded, isInternalError, takeOver } from '../surfaces/conversation.ts';
import { retryTerms } from '../surfaces/replies/replays.ts';
import { ServedRequest } from '../surfaces/served-request.ts';
import type { ReadyCall } from '../upstreams/upstream.ts';
import { FastPathAnswer } from './fast-path-answer.ts';
import { FastPathReply } from './fast-path-reply.ts';
import type { FastPathHost, FastPathParts, FastPathRequest, BailoutContext } from './fast-path-request.ts';

/**
 * The fast path of a chat request. It needs a cached key, leased money, a free slot and a provider that uses the
 * client's format. Then nothing has to wait before the request is sent, and the answer is forwarded as bytes. A request
 * that needs more, before its first content, bails out to the slow path, which gives the same answer.
 */
export class FastPath implements FastPathHost {
  readonly parts: FastPathParts;
  readonly workScheduler: WorkScheduler;
  /** The router's parts with the upstreams of the current configuration, cached between requests. */
  #routing: RouterParts | undefined;

  constructor(parts: FastPathParts) {
    this.parts = parts;
    const { elapsed } = parts.clock;
    this.workScheduler = new WorkScheduler({ elapsed, nextTurn: setImmediate, onError: parts.inference.onError });
  }

  /** Serves the request and returns true. Returns false, without side effects, if the slow path must serve it. */
  tryServe(exchange: Exchange): boolean {
    if (!isSimpleExchange(exchange) || this.parts.running.isEnding) return false;
    let prepared: PreparedRequest | undefined;
    try {
      prepared = this.#prepare(exchange);
    } catch (error) {
      // Request errors are reported by the slow path. Report anything else: it is a bug in the fast path.
      if (isInternalError(error) && !(error instanceof HttpFault)) this.parts.inference.onError(error);
    }
    if (!prepared) return false;
    exchange.releaseBody();
    new FastPathAnswer(this, prepared.request, prepared.bailout).send();
    return true;
  }

  /** Everything before the first byte is sent: key, model, hold and slot. */
  #prepare(exchange: SimpleExchange): PreparedRequest | undefined {
    const { clock, keys, inference, replays, settings, traces } = this.parts;
    const { catalog, upstream } = inference.current();

    const site = catalog.siteFor(exchange.host) ?? '';
    const rules = catalog.rulesOf(site);
    const key = keys.known(bearerSecret(exchange, rules.keyPlaces));
    const terms = retryTerms(exchange);
    if (!key || terms?.isRetry === true || terms?.idempotencyKey !== undefined) return undefined;
    const caller = { key, site };
    // The slow path handles address rules, concurrency limits, stored bodies and reported costs.
    const isConcurrencyLimited = key.concurrency !== undefined || key.member?.maxConcurrency !== undefined;
    if (isConcurrencyLimited || key.storesBodies || key.addresses?.has(exchange.address) === false) {
      return undefined;
    }
    if (catalog.reportsCost(caller)) return undefined;

    const served = new ServedRequest(exchange, caller, clock, traces?.begin(exchange));
    const body = exchange.jsonNow({ withDigest: terms !== undefined });
    // The slow path handles numbers that must keep all their digits.
    if (!body || body.hasLongNumbers === true) return undefined;
    // The slow path removes them.
    if (rules.ignored && hasFields(body.value, rules.ignored)) return undefined;
    const clientRequest = decoded(body, exchange, chatFormat, settings());
    const model = catalog.require(caller, clientRequest.model, chatFormat.surface);
    const request = fitRequest(model, clientRequest);
    const honoursStreamFalse = catalog.honoursStreamFalse(site) || key.honoursStreamFalse === true;
    if (chatFormat.repliesWithJson(request, { honoursStreamFalse }) || !isSimple(model, request)) return undefined;
    const adapters = model.routes.map((route) => upstream(route.upstream)?.adapter);
    if (!adapters.every((adapter) => adapter?.ready !== undefined)) return undefined;
    const providers = adapters.map((adapter) => adapter?.keeps ?? {});
    const kept = enforcedConstraints(request, model.guarantees, providers);
    if (kept && !isOnlyCap(kept)) return undefined;
    served.asks(clientRequest, false);

    const most = maxUsage(model, request);
    const hold = this.parts.wallet.holdNow(holdName({ id: exchange.id, caller }, model), worstCase(most, model.price));
    if (!hold) return undefined;
    let routed: RoutedCall | undefined;
    try {
      routed = this.#route({ caller, served, model, request, maxUsage: most, canBeCapped: kept !== undefined });
    } finally {
      if (!routed) hold.void();
    }
    if (!routed) return undefined;

    // The hold and the slot are taken: nothing may throw before the answer exists, which releases both.
    const reply = new FastPathReply(exchange, served, clock);
    if (terms && body.digest !== undefined) {
      replays.enter({ caller, path: exchange.path, terms, digest: body.digest }, reply);
    }
    const { dispatch, cappedAt, search, readyCall } = routed;
    const { attributed } = readyCall;
    const prepared = {
      exchange,
      caller,
      served,
      reply,
      model,
      request,
      maxUsage: most,
      cappedAt,
      hold,
      dispatch,
      attributed,
    };
    return { request: prepared, bailout: { clientRequest, search, readyCall } };
  }

  /** Takes a slot at the best upstream, if one is free now, and prepares the call. */
  #route(input: RoutingInput): RoutedCall | undefined {
    const { caller, served, model, request, canBeCapped } = input;
    const { router, expected, current } = this.parts.inference;
    const { catalog, upstream } = current();
    const demand = demandOf(caller, input, { weight: catalog.weightOf(caller), expected });
    if (this.#routing?.upstream !== upstream) this.#routing = { ...router, upstream };
    const search = searchFor(this.#routing, model, request, demand);
    const dispatch = search.enterNow();
    if (!dispatch) return undefined;
    const { route, credential, upstream: live } = dispatch.candidate;
    const trace = served.trace?.call();
    let readyCall: ReadyCall | undefined;
    let cappedAt: number | undefined;
    try {
      // Some providers are trusted with the cap, others are not. The provider is chosen only now.
      const isCapped =
        canBeCapped && enforcedConstraintsFor(dispatch.candidate, { model, request, upstream })?.maxTokens;
      if (isCapped) cappedAt = request.maxTokens;
      const call = {
        ...callOf(model, request, conversationNamed(router, model, request, demand)),
        trace,
        model: route.model,
        credential: credential.index,
      };
      readyCall = live.adapter.ready?.(call);
    } finally {
      if (!readyCall) {
        credential.noEvidence(route.model);
        dispatch.slot.release(0);
      }
    }
    return readyCall && { search, dispatch: trace ? { ...dispatch, trace } : dispatch, cappedAt, readyCall };
  }

  openBill({ caller, model, request, maxUsage: most, hold }: FastPathRequest, isGivenUp: () => boolean): Bill {
    const { accountId } = caller.key;
    return openBill(this.parts.inference, { accountId, model, request, maxUsage: most, hold, isGivenUp });
  }

  bailOut(
    request: FastPathRequest,
    clientRequest: ChatRequest,
    started: StartedInference,
    abortedBy: Error | undefined,
  ): void {
    const { exchange, caller, reply } = request;
    const handed = { caller, reply: reply.share(), request: clientRequest, started, abortedBy };
    takeOver(this.parts, chatFormat, exchange, handed).catch(this.parts.inference.onError);
  }

  errorFrame(error: unknown, requestId: string): string {
    return chatErrorFrame(error, requestId, this.parts.settings().supportEmail);
  }
}

interface RoutingInput extends Pick<FastPathRequest, 'caller' | 'served' | 'model' | 'request' | 'maxUsage'> {
  /** Whether some providers of the model are not trusted to keep the token cap. */
  readonly canBeCapped: boolean;
}

type RoutedCall = Pick<FastPathRequest, 'dispatch' | 'cappedAt'> & Pick<BailoutContext, 'search' | 'readyCall'>;

interface PreparedRequest {
  readonly request: FastPathRequest;
  readonly bailout: BailoutContext;
}

/** Whether the answer is one text stream that no other upstream would continue, and the request loses no field. */
function isSimple(model: Model, request: ChatRequest): boolean {
  if (request.priceOptions !== undefined || request.spending !== undefined) return false;
  return request.choices === 1 && !request.logprobs && !canContinue(model, request);
}
