import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { namedAt } from 'chat-formats/named-models.ts';
import type { TokenCounts } from 'chat-formats/chat/usage.ts';
import type { UpstreamCall } from '../upstreams/upstream.ts';
import { callProvider } from './calls/provider-call.ts';
import type { Candidate } from './candidates/candidates.ts';
import { canContinue, ContinuedFlow, type ContinuedStart } from './answers/continued-flow.ts';
import { conversationOf } from './candidates/conversation.ts';
import type { Dispatch } from './calls/dispatch.ts';
import type { Demand } from './fair-queue/demand.ts';
import type { OpenedStream } from './opened-stream.ts';
import type { RoutedRequest } from './routed-request.ts';
import type { RouterOptions, RouterParts } from './router-parts.ts';
import { FailoverLoop } from './calls/failover-loop.ts';
import { awaitFirstContent } from './answers/first-content.ts';
import { RunningAnswer } from './answers/running-answer.ts';

/** The failover loop of a request, before its first candidate. */
export function searchFor(parts: RouterParts, model: Model, request: ChatRequest, demand: Demand): FailoverLoop {
  const { accountId } = demand;
  return new FailoverLoop(parts, model, demand, () => conversationOf(request.wire, { accountId, model: model.id }));
}

/** The part of every call that comes from the model's catalog entry. */
export function callOf(
  model: Model,
  request: ChatRequest,
  conversation: UpstreamCall['conversation'],
): Omit<UpstreamCall, 'model' | 'credential' | 'trace'> {
  const { thinking, maxOutputTokens, toolFormat, thinksFirst, repairArguments, guarantees, untranslatable } = model;
  const settings = { thinking, maxOutputTokens, toolFormat, thinksFirst, repairArguments, guarantees, untranslatable };
  return { ...settings, cache: model.cache, request, conversation };
}

/** The name of the conversation for its provider, if the model's entry requires one; computed when it is read. */
export function conversationNamed(
  { conversationName }: Pick<RouterOptions, 'conversationName'>,
  model: Model,
  request: ChatRequest,
  { accountId }: Pick<Demand, 'accountId'>,
): UpstreamCall['conversation'] {
  if (model.cache !== 'auto') return undefined;
  return () => {
    const conversation = conversationOf(request.wire, { accountId, model: model.id });
    return conversation === undefined ? undefined : conversationName(conversation);
  };
}

/** A failover loop that has reached its first call. */
export interface StartedRouting {
  readonly search: FailoverLoop;
  readonly dispatch: Dispatch;
}

/** A chat request, whose answer another upstream may have to continue. */
interface RoutedConversation extends RoutedRequest {
  /** Counts the tokens of a text, as far as possible without its provider. */
  readonly countTokens: (text: string) => Promise<TokenCounts>;
  readonly started?: StartedRouting | undefined;
}

/**
 * Routes a request: waits for a slot, calls the upstream, and fails over until one has produced content. From then on
 * the answer has begun and nothing is retried. If the model allows it, another upstream continues an answer that breaks
 * off.
 */
export async function openFirst(
  parts: RouterParts,
  model: Model,
  request: ChatRequest,
  routed: RoutedConversation,
): Promise<OpenedStream> {
  const search = routed.started?.search ?? searchFor(parts, model, request, routed.demand);
  search.follow(routed);
  const conversation = conversationNamed(parts, model, request, routed.demand);
  const call = callOf(model, request, conversation);

  async function openAt(first: Dispatch, outgoing: typeof call & { readonly prefill?: string }): Promise<OpenedStream> {
    const { calls, signal } = routed;
    for (let dispatch = first; ; ) {
      const { earlyCall, candidate } = dispatch;
      const { adapter } = candidate.upstream;
      const opened = await callProvider(dispatch, parts.clock, routed, {
        promptBytes: request.wire.bytes,
        send: async (target) => {
          // If the client has left, nothing is sent. An adapter without `reportsSent` is assumed to send at once.
          if (!earlyCall && !adapter.reportsSent && !signal.aborted) calls.sent();
          const accepted = await (earlyCall
            ? earlyCall.answer(signal)
            : adapter.open(
                { ...outgoing, ...target, request: namedAt(outgoing.request, candidate.route.upstream) },
                signal,
              ));
          return awaitFirstContent(accepted, (events) => calls.receivedEarly(events));
        },
      });
      if (opened.call) return { flow: new RunningAnswer(opened.answer, opened.call, signal), candidate };
      dispatch = await search.failOver(dispatch, opened.error);
    }
  }

  try {
    const first = await openAt(routed.started?.dispatch ?? (await search.enter()), call);
    if (!canContinue(model, request)) return first;
    const { countTokens, signal } = routed;
    const continueFrom = async (
      from: Candidate,
      error: unknown,
      { text, tokens }: ContinuedStart,
    ): Promise<OpenedStream> => {
      const cap = request.maxTokens;
      const maxTokens = cap === undefined ? undefined : Math.max(1, cap - tokens);
      const outgoing = { ...call, request: { ...request, maxTokens }, prefill: text };
      const opened = search.restart(from, error).then((dispatch) => openAt(dispatch, outgoing));
      return opened.finally(() => search.releaseRetry());
    };
    return { flow: new ContinuedFlow(first, { continueFrom, countTokens, signal }), candidate: first.candidate };
  } finally {
    search.releaseRetry();
  }
}
