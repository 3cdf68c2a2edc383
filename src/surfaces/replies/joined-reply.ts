import type { Caller } from '../../core/caller.ts';
import type { Clock } from '../../core/clock.ts';
import { within } from '../../core/within.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RunningRequest } from '../../inference/running-requests.ts';
import type { ClaimedCaller } from '../caller.ts';
import type { IdempotencyClaims, IdempotentRequest } from './idempotency-claims.ts';
import type { JoinableReply } from './joinable-reply.ts';
import { replayKey, type Replays } from './replays.ts';
import type { ReplyEnd } from './reply-end.ts';
import { type RetryTerms, retryTerms } from './retry-terms.ts';
import type { ServedRequest } from '../served-request.ts';
import { SharedReply } from './shared-reply.ts';

/** The parts of the gateway that joining needs. */
export interface JoiningParts {
  readonly clock: Clock;
  readonly replays: Replays;
  /** The idempotency claims of all processes; undefined for a single process. */
  readonly claims: IdempotencyClaims | undefined;
}

/** A reply that retries may join, and the retry headers of its request. */
export interface Shareable {
  readonly reply: SharedReply;
  readonly terms: RetryTerms;
}

/** A request that may be a retry. */
export interface RetryCandidate {
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly running: Pick<RunningRequest, 'signal'>;
  readonly shared: Shareable | undefined;
  readonly confirm?: ClaimedCaller['confirm'];
}

/** How long a retry waits for its key to be confirmed. Nothing can be sent to it before. */
const confirmTimeoutMs = 30_000;
/** Longer than a remote reader waits for a sign of activity. */
const signTimeoutMs = 60_000;

/** A reply that retries can join, for clients that announce retries. Other requests have no overhead. */
export function shareable(
  { replays, clock }: JoiningParts,
  exchange: Exchange,
  request: ServedRequest,
): Shareable | undefined {
  const terms = retryTerms(exchange);
  if (!terms) return undefined;
  // Only a retry with the same Idempotency-Key is sure to find the reply.
  const lingerMs = terms.idempotencyKey === undefined ? 0 : replays.lingerMs;
  return { reply: new SharedReply({ id: exchange.id, exchange, request, lingerMs, clock }), terms };
}

/** Joins an earlier reply of this process. Resolves with undefined if there is none; then its own reply is kept. */
export async function joinEarlierReply(
  parts: JoiningParts,
  exchange: Exchange,
  request: RetryCandidate,
  digest: string | undefined,
): Promise<ReplyEnd | undefined> {
  const { caller, served, shared } = request;
  if (!shared || digest === undefined) return undefined;
  const retry = { caller, path: exchange.path, terms: shared.terms, digest };
  for (;;) {
    const earlier = parts.replays.enter(retry, shared.reply);
    if (!earlier) return undefined;
    await confirmed(parts, request);
    if (await isContinued(parts, earlier, request)) return replay(earlier, exchange, served);
  }
}

/** Waits for a sign that the reply continues: half a reply of an expired process is useless to a new client. */
async function isContinued(
  { clock }: JoiningParts,
  earlier: JoinableReply,
  { running }: RetryCandidate,
): Promise<boolean> {
  const sign = earlier.goesOn?.();
  return sign === undefined || within(sign, { clock, timeoutMs: signTimeoutMs, signal: running.signal });
}

/** The data needed to find the reply of a request in another process. */
export interface JoinableRequest extends Pick<IdempotentRequest, 'errorFrame'> {
  readonly path: string;
  readonly digest: string | undefined;
  /** The catalog id of the requested model. Throws if the caller has no access. */
  readonly model: () => string;
}

/**
 * Reads the reply from another process with the same claim. Resolves with undefined if this process has to generate it.
 */
export async function readRemoteReply(
  parts: JoiningParts,
  request: RetryCandidate,
  { path, digest, model, errorFrame }: JoinableRequest,
): Promise<ReplyEnd | undefined> {
  const { caller, served, running, shared } = request;
  if (!parts.claims || shared?.terms.idempotencyKey === undefined || digest === undefined) return undefined;
  return parts.claims.enter({
    claimKey: replayKey({ caller, path, terms: shared.terms, digest }),
    digest,
    served,
    model: model(),
    reply: shared.reply,
    signal: running.signal,
    confirm: () => confirmed(parts, request),
    errorFrame,
  });
}

/** Replays the answer of an earlier request from its start. No provider is called, and nothing is charged. */
function replay(earlier: JoinableReply, exchange: Exchange, served: ServedRequest): Promise<ReplyEnd> {
  earlier.request.note(`a retry joined it: ${exchange.id}`);
  served.replays(earlier.request);
  return earlier.follow(exchange, () => served.markFirstByte());
}

/** Waits until the key is confirmed: a reply is replayed only to a valid key. */
async function confirmed({ clock }: JoiningParts, { confirm, running }: RetryCandidate): Promise<void> {
  await confirm?.({ deadlineMs: clock.elapsed() + confirmTimeoutMs, signal: running.signal });
}
