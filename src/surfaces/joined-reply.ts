import type { Caller } from '../core/caller.ts';
import type { Clock } from '../core/clock.ts';
import { within } from '../core/within.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RunningRequest } from '../inference/running-requests.ts';
import type { ClaimedCaller } from './caller.ts';
import type { IdempotencyClaims, NamedRequest } from './idempotency-claims.ts';
import type { JoinableReply } from './joinable-reply.ts';
import { placeOf, type Replays } from './replays.ts';
import type { ReplyEnd } from './reply-end.ts';
import { type RetryTerms, retryTerms } from './retry-terms.ts';
import type { ServedRequest } from './served-request.ts';
import { SharedReply } from './shared-reply.ts';

/** What joining needs of the rest of the gateway. */
export interface JoiningParts {
  readonly clock: Clock;
  readonly replays: Replays;
  /** The replies of all processes that a retry may join; nothing for a process that is alone. */
  readonly claims: IdempotencyClaims | undefined;
}

/** A reply that others may read too, and what was said about sending its request again. */
export interface Shareable {
  readonly reply: SharedReply;
  readonly terms: RetryTerms;
}

/** A request that may be one that was sent before. */
export interface Rejoinable {
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly running: Pick<RunningRequest, 'signal'>;
  readonly shared: Shareable | undefined;
  readonly confirm?: ClaimedCaller['confirm'];
}

/** Nothing can be sent to a retry before its key is confirmed; longer than this it does not wait for that. */
const rejoinTimeoutMs = 30_000;
/** Longer than whoever reads the reply elsewhere waits for a sign of life. */
const signTimeoutMs = 60_000;

/** A reply that retries can join, for clients that say they may retry; others pay nothing for it. */
export function shareable(
  { replays, clock }: JoiningParts,
  exchange: Exchange,
  request: ServedRequest,
): Shareable | undefined {
  const terms = retryTerms(exchange);
  if (!terms) return undefined;
  // Only who named the request is sure to find it again.
  const lingerMs = terms.idempotencyKey === undefined ? 0 : replays.lingerMs;
  return { reply: new SharedReply({ id: exchange.id, exchange, request, lingerMs, clock }), terms };
}

/** Reads the reply of this process that the request asks for again; nothing if there is none, and its own is kept then. */
export async function rejoined(
  parts: JoiningParts,
  exchange: Exchange,
  request: Rejoinable,
  digest: string | undefined,
): Promise<ReplyEnd | undefined> {
  const { caller, served, shared } = request;
  if (!shared || digest === undefined) return undefined;
  const asked = { caller, path: exchange.path, terms: shared.terms, digest };
  for (;;) {
    const earlier = parts.replays.enter(asked, shared.reply);
    if (!earlier) return undefined;
    await confirmed(parts, request);
    if (await goesOn(parts, earlier, request)) return rejoin(earlier, exchange, served);
  }
}

/** What a process has said that is dead by now is of no use to a client that has seen nothing of it. */
async function goesOn({ clock }: JoiningParts, earlier: JoinableReply, { running }: Rejoinable): Promise<boolean> {
  const sign = earlier.goesOn?.();
  return sign === undefined || within(sign, { clock, timeoutMs: signTimeoutMs, signal: running.signal });
}

/** What must be known of a request to find its reply in another process. */
export interface JoinableRequest extends Pick<NamedRequest, 'errorFrame'> {
  readonly path: string;
  readonly digest: string | undefined;
  /** The catalog id of what it asks for; throws if its caller may not. */
  readonly model: () => string;
}

/** Reads the reply that another process makes to a request of this name; nothing if it is to be made here. */
export async function madeElsewhere(
  parts: JoiningParts,
  request: Rejoinable,
  { path, digest, model, errorFrame }: JoinableRequest,
): Promise<ReplyEnd | undefined> {
  const { caller, served, running, shared } = request;
  if (!parts.claims || shared?.terms.idempotencyKey === undefined || digest === undefined) return undefined;
  return parts.claims.enter({
    place: placeOf({ caller, path, terms: shared.terms, digest }),
    digest,
    served,
    model: model(),
    reply: shared.reply,
    signal: running.signal,
    confirm: () => confirmed(parts, request),
    errorFrame,
  });
}

/** The answer of an earlier request again, from its start: nothing is asked of a provider, nothing is charged. */
function rejoin(earlier: JoinableReply, exchange: Exchange, served: ServedRequest): Promise<ReplyEnd> {
  earlier.request.note(`a retry joined it: ${exchange.id}`);
  served.replays(earlier.request);
  return earlier.follow(exchange, () => served.answered());
}

/** What was said to a key before is said again only to one that still counts. */
async function confirmed({ clock }: JoiningParts, { confirm, running }: Rejoinable): Promise<void> {
  await confirm?.({ deadlineMs: clock.elapsed() + rejoinTimeoutMs, signal: running.signal });
}
