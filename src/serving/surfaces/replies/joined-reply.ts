import type { Caller } from '../../../core/caller.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { within } from '../../../core/time/within.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { InferenceInput } from '../../inference/inference-input.ts';
import type { RunningRequest } from '../../inference/running-requests.ts';
import type { ClaimedCaller } from '../caller.ts';
import type { ServedRequest } from '../served-request.ts';
import type { IdempotencyClaims, IdempotentRequest } from './idempotency-claims.ts';
import { type JoinableReply, replayKey, type ReplayRequest, type Replays, retryTerms } from './replays.ts';
import type { ReplyEnd } from './reply-reader.ts';
import { type ReplyOutcomeSource, SharedReply } from './shared-reply.ts';

export interface JoiningParts {
  readonly clock: Clock;
  readonly replays: Replays;
  /** The idempotency claims of all processes; undefined for a single process. */
  readonly claims: IdempotencyClaims | undefined;
  /** Set for a line of a batch. */
  readonly line?: LineTerms | undefined;
}

export interface RetryCandidate {
  readonly caller: Caller;
  readonly reply: SharedReply;
  readonly running: Pick<RunningRequest, 'signal'>;
  readonly confirm?: ClaimedCaller['confirm'];
}

/** A request that the gateway makes for a client that does not wait: its reply is one body, and stored. */
export interface LineTerms {
  /** Undefined for a response in the background: it competes with other requests. */
  readonly idle: InferenceInput['idle'];
  /** For the record of the request. */
  readonly note: string;
  readonly chargedWith: ReplyOutcomeSource;
}

/** How long a retry waits for its key to be confirmed. Nothing can be sent to it before. */
const confirmTimeoutMs = 30_000;
/** Longer than a remote reader waits for a sign of activity. */
const signTimeoutMs = 60_000;

/** The reply to a request. Retries can join it if the client announces them. */
export function newReply(
  { replays, clock, line }: JoiningParts,
  exchange: Exchange,
  request: ServedRequest,
): SharedReply {
  const terms = retryTerms(exchange);
  if (line) request.note(line.note);
  // Only a retry with the same Idempotency-Key is sure to find the reply.
  const lingerMs = terms?.idempotencyKey === undefined ? 0 : replays.limits.lingerMs;
  return new SharedReply({ request, exchange, clock, terms, lingerMs, chargedWith: line?.chargedWith });
}

interface DecodedRetry extends Pick<IdempotentRequest, 'errorFrame'> {
  readonly digest: string | undefined;
  /** Called if no reply of this process can be joined. */
  readonly asks: () => void;
  /** The catalog id of the requested model. Throws if the caller has no access. */
  readonly model: () => string;
}

/** Undefined if this request has to be answered; then its own reply is kept for retries. */
export async function joinReply(
  parts: JoiningParts,
  exchange: Exchange,
  request: RetryCandidate,
  { digest, asks, model, errorFrame }: DecodedRetry,
): Promise<ReplyEnd | undefined> {
  const { caller, reply, running } = request;
  const { terms } = reply;
  const retry = terms && digest !== undefined ? { caller, path: exchange.path, terms, digest } : undefined;
  const joined = retry && (await joinEarlier(parts, exchange, request, retry));
  if (joined) return joined;
  asks();
  running.signal.throwIfAborted();
  if (!parts.claims || retry?.terms.idempotencyKey === undefined) return undefined;
  return parts.claims.enter({
    claimKey: replayKey(retry),
    digest: retry.digest,
    model: model(),
    reply,
    signal: running.signal,
    confirm: () => confirmed(parts, request),
    errorFrame,
  });
}

async function joinEarlier(
  parts: JoiningParts,
  exchange: Exchange,
  request: RetryCandidate,
  retry: ReplayRequest,
): Promise<ReplyEnd | undefined> {
  const { reply, running } = request;
  let earlier = parts.replays.enter(retry, reply);
  while (earlier) {
    await confirmed(parts, request);
    // Half a reply of a process that has ended is useless to a new client.
    const sign = earlier.signs?.next();
    const bounds = { clock: parts.clock, timeoutMs: signTimeoutMs, signal: running.signal };
    const isContinued = sign === undefined || (await within(sign, bounds));
    // It may have failed or exceeded the replay buffer meanwhile.
    const current = parts.replays.enter(retry, reply);
    if (isContinued && current === earlier) return replay(earlier, exchange, reply.request);
    earlier = current;
  }
  return undefined;
}

/** Replays the answer of an earlier request from its start. No provider is called, and nothing is charged. */
function replay(earlier: JoinableReply, exchange: Exchange, served: ServedRequest): Promise<ReplyEnd> {
  earlier.request.note(`a retry joined it: ${exchange.id}`);
  served.replays(earlier.request);
  return earlier.follow(exchange, () => served.markFirstByte());
}

/** Waits until the key is confirmed: a reply is replayed only to a valid key. */
export async function confirmed({ clock }: JoiningParts, { confirm, running }: RetryCandidate): Promise<void> {
  await confirm?.({ deadlineMs: clock.elapsed() + confirmTimeoutMs, signal: running.signal });
}
