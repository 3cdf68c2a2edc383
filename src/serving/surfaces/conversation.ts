import type { KeyRing } from '../../money/accounts/key-ring.ts';
import type { BodyCopy } from '../../work/bodies/body-copy.ts';
import type { BodyKeeper } from '../../work/bodies/body-keeper.ts';
import { bodiesDropped } from '../../work/bodies/stored-bodies.ts';
import type { Caller, KeyHolder } from '../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { ChunkWatch } from '../../core/chunk-watch.ts';
import type { DeadlineTimer } from '../../core/time/deadline-timer.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { SurfaceTag } from 'chat-formats/chat/model.ts';
import type { RequestTraces } from '../../core/request-trace.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Exchange, JsonBody } from '../http/exchange.ts';
import { HttpFault } from '../http/fault.ts';
import { orOverloaded } from '../../platform/store/postgres/unreachable.ts';
import { infer } from '../inference/infer.ts';
import type {
  InferenceAnswer,
  StartedInference,
  InferenceParts,
  InferenceInput,
} from '../inference/inference-input.ts';
import type { RunningRequest, RunningRequests } from '../inference/running-requests.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import { type AnswerEncoder, sendAnswer, type StreamTiming } from './answer-stream.ts';
import { exactBody } from './exact-body.ts';
import { claimedCaller, reloadChangedKey, type KeyHeader, requireAddress } from './caller.ts';
import { clientTimeoutMs } from './client-timeout.ts';
import type { AgentTest } from './coding-agents.ts';
import { withoutIgnored } from './ignored-fields.ts';
import { jsonFormat } from './json-reply.ts';
import { confirmed, type JoiningParts, joinReply, newReply, type RetryCandidate } from './replies/joined-reply.ts';
import type { ReplyEnd } from './replies/reply-reader.ts';
import type { SharedReply } from './replies/shared-reply.ts';
import { requestTags, tagsHeader } from './request-tags.ts';
import { ServedRequest } from './served-request.ts';

export interface SurfaceParts extends JoiningParts {
  readonly keys: Pick<KeyRing, 'holder' | 'remembered'>;
  readonly inference: InferenceParts;
  readonly requests: { write(record: RequestRecord): void };
  readonly running: RunningRequests;
  readonly deadlines: DeadlineTimer;
  readonly keySlots?: { of(key: KeyHolder): (NonNullable<InferenceInput['keySlot']> & { leave(): void }) | undefined };
  readonly bodies?: Pick<BodyKeeper, 'copyFor' | 'keep'>;
  readonly settings: () => SurfaceSettings;
  readonly traces?: RequestTraces | undefined;
  readonly chunks?: ChunkWatch | undefined;
}

/** Serves a request on the fast path. Returns false, without side effects, if it cannot. */
export interface ChatFastPath {
  tryServe(exchange: Exchange): boolean;
}

/** The configuration of the surfaces. A reload may change it between two requests. */
export interface SurfaceSettings extends Pick<StreamTiming, 'holdHeadersMs' | 'keepAliveEveryMs'> {
  readonly supportEmail: string | undefined;
  readonly currency: string;
  readonly messagesPrefix: string;
  /** Detects coding agents, whose default effort is the highest. */
  readonly isCodingAgent: AgentTest;
}

export interface ConversationFormat {
  readonly surface: SurfaceTag;
  /** Sent during silence. It may depend on the state of the request. */
  readonly keepAlive: string | ((about: ReplyHead) => string);
  readonly secret: KeyHeader;
  /** Resolves references in the body that must be looked up before decoding. */
  resolve?(body: JsonBody, caller: Caller): Promise<JsonBody>;
  decode(body: JsonBody, exchange: Exchange): ChatRequest;
  /** How to reply to a request that is answered later: its creation runs once, so that no retry joins its reply. */
  defer?(request: ChatRequest): ((deferred: DeferredRequest) => Promise<ReplyEnd>) | undefined;
  /** Whether the answer to this request is one JSON body. */
  repliesWithJson(request: ChatRequest, settings: { readonly honoursStreamFalse: boolean }): boolean;
  encoder(about: AnswerHead): AnswerEncoder;
  encodeJson(events: readonly StreamEvent[], about: AnswerHead): string | Promise<string>;
  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string;
  /** Whether clients of the format handle this error better in a stream than as a status. */
  isSentInStream?(error: unknown): boolean;
}

export interface DeferredRequest {
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Of its body. Undefined without retry headers. */
  readonly digest: string | undefined;
  readonly reply: SharedReply;
  readonly running: Pick<RunningRequest, 'signal' | 'waits'>;
}

/** The state of a reply before its answer begins. */
export interface ReplyHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly request: ChatRequest;
  /** The catalog id of the model, once the caller was checked to have access. */
  readonly model: string | undefined;
  /** Whether no provider works on the request: it waits for a slot or for the next attempt. */
  readonly isWaiting: boolean;
}

/** Data that every frame of an answer repeats. */
export interface AnswerHead extends Pick<ReplyHead, 'id' | 'created' | 'request'> {
  readonly answer: InferenceAnswer;
  readonly reportsCost: boolean;
  /** Adds a note to the record of the request, and reports its cause if that is an internal error. */
  readonly note: (text: string, cause?: unknown) => void;
}

/** Serves one conversational request from its key to its last frame, and writes its record. */
export async function converse(parts: SurfaceParts, format: ConversationFormat, exchange: Exchange): Promise<void> {
  const { caller, confirm } = await claimedCaller(parts, exchange, format.secret);
  const served = new ServedRequest(exchange, caller, parts.clock, parts.traces?.begin(exchange));
  const reply = newReply(parts, exchange, served);
  await serve(parts, exchange, { caller, reply }, (running) =>
    joinOrAnswer(parts, format, exchange, { caller, confirm, running, reply }),
  );
}

/** A request whose first call was made by the fast path. */
interface BailedOutRequest extends ServedConversation {
  readonly request: ChatRequest;
  readonly started: StartedInference;
  /** The error to abort it with, if it was aborted. */
  readonly abortedBy: Error | undefined;
}

/** Serves a request that bailed out of the fast path after its first call. */
export async function takeOver(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  bailedOut: BailedOutRequest,
): Promise<void> {
  await serve(parts, exchange, bailedOut, (running) => {
    if (bailedOut.abortedBy) running.end(bailedOut.abortedBy);
    return answer(parts, format, exchange, { ...bailedOut, running, isJsonReply: false });
  });
}

interface ServedConversation {
  readonly caller: Caller;
  readonly reply: SharedReply;
}

/** Replies, and writes the record however the reply ends. */
export async function serve(
  parts: SurfaceParts,
  exchange: Exchange,
  { caller, reply }: ServedConversation,
  replying: (running: InFlightRequest['running']) => Promise<ReplyEnd>,
): Promise<void> {
  const served = reply.request;
  const { leave, ...running } = parts.running.enter(caller, reply.gone);
  const keySlot = parts.keySlots?.of(caller.key);
  const bodies = parts.bodies?.copyFor(caller.key);
  if (bodies) exchange.watchBodies(bodies);
  try {
    const replyIfAllowed = async (): Promise<ReplyEnd> => {
      // Inside the recorded part, so that a rejection is recorded too.
      requireAddress(exchange, caller.key);
      return replying({ ...running, keySlot });
    };
    const end = await replyIfAllowed().catch((error: unknown) => sendError(reply, exchange, error));
    reply.close(end);
    parts.claims?.ended(served.id, end);
    // The log of a request whose client left has only that, so report an internal error separately.
    if (end.isClientGone && isInternalError(end.error)) parts.inference.onError(end.error);
    if (bodies) keepBodies(parts, caller, served, bodies);
    parts.requests.write(await served.record({ ...end, isClientGone: end.isClientGone || exchange.gone.aborted }));
  } finally {
    // Frees the memory of the bodies, also after an error.
    bodies?.take();
    keySlot?.leave();
    leave();
  }
}

/** Stores the bodies and notes it in the record. An error here is only reported: the client has its answer. */
function keepBodies(parts: SurfaceParts, { key }: Caller, served: ServedRequest, bodies: BodyCopy): void {
  try {
    const owner = { id: served.id, accountId: key.accountId, keyId: key.keyId };
    const note = parts.bodies?.keep(owner, bodies);
    if (note !== undefined) served.note(note);
  } catch (error) {
    parts.inference.onError(error);
    served.note(bodiesDropped);
  }
}

function sendError(reply: SharedReply, exchange: Exchange, error: unknown): ReplyEnd {
  const isClientGone = exchange.gone.aborted;
  if (reply.gone.aborted && error === reply.gone.reason) {
    return { error: undefined, isClientGone, isCommitted: false };
  }
  let sent = orOverloaded(error);
  try {
    reply.fail(sent);
  } catch (internalError) {
    sent = internalError;
  }
  return { error: toTableError(sent), isClientGone, isCommitted: false };
}

export function isInternalError(error: unknown): boolean {
  return error !== undefined && !(error instanceof GatewayError);
}

interface InFlightRequest extends RetryCandidate {
  readonly running: Omit<RunningRequest, 'leave'> & Pick<InferenceInput, 'keySlot'>;
}

interface DecodedRequest extends InFlightRequest {
  readonly request: ChatRequest;
  readonly isJsonReply: boolean;
  readonly started?: StartedInference;
}

async function joinOrAnswer(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  inFlight: InFlightRequest,
): Promise<ReplyEnd> {
  const { caller, reply } = inFlight;
  const served = reply.request;
  const { request, digest } = await requestOf(parts, format, exchange, inFlight);
  const ofSite = parts.inference.current().catalog.honoursStreamFalse(caller.site);
  const honoursStreamFalse = ofSite || caller.key.honoursStreamFalse === true || parts.line !== undefined;
  const isJsonReply = format.repliesWithJson(request, { honoursStreamFalse });
  const asks = (): void => served.asks(request, isJsonReply);
  const deferred = format.defer?.(request);
  if (deferred) {
    asks();
    await confirmed(parts, inFlight);
    return deferred({ ...inFlight, exchange, digest });
  }
  const joined = await joinReply(parts, exchange, inFlight, {
    digest,
    asks,
    model: () => parts.inference.current().catalog.require(caller, request.model, format.surface).id,
    errorFrame: (error) => {
      const created = Math.floor(served.startedAt / 1000);
      const head = { id: served.id, created, request, model: request.model, isWaiting: false };
      return format.errorFrame(error, served.id, parts.settings().supportEmail, head);
    },
  });
  return joined ?? answer(parts, format, exchange, { ...inFlight, request, isJsonReply });
}

function answer(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  { caller, confirm, running, reply, request, isJsonReply, started }: DecodedRequest,
): Promise<ReplyEnd> {
  const { clock, inference } = parts;
  const { id } = exchange;
  const served = reply.request;
  const created = Math.floor(served.startedAt / 1000);
  const run = infer(inference, {
    id,
    caller,
    surface: format.surface,
    request,
    isJsonReply,
    clientDeadlineMs: clientDeadlineMs(exchange, served),
    started,
    confirm,
    reloadKey: () => reloadChangedKey(parts, exchange, format.secret, caller.key),
    startedMs: served.startedMs,
    trace: served.trace,
    idle: parts.line?.idle,
    ...running,
  });
  served.setInference(run);
  const settings = parts.settings();
  const passedMs = clock.elapsed() - served.startedMs;
  const timing = { ...streamTiming(parts), holdHeadersMs: Math.max(0, settings.holdHeadersMs - passedMs) };
  const reportsCost = inference.current().catalog.reportsCost(caller);
  const note: AnswerHead['note'] = (text, cause) => {
    served.note(text);
    if (isInternalError(cause)) inference.onError(cause);
  };
  const head = (answer: InferenceAnswer): AnswerHead => ({ id, created, answer, request, reportsCost, note });
  if (isJsonReply) {
    const json = jsonFormat((answer, events) => format.encodeJson(events, head(answer)));
    return sendAnswer(reply, run.answer, { ...json, reportsCost }, timing);
  }
  const { keepAlive } = format;
  const replyHead = (): ReplyHead => ({ id, created, request, model: run.model, isWaiting: !run.isSent });
  const stream = {
    reportsCost,
    keepAlive: () => (typeof keepAlive === 'string' ? keepAlive : keepAlive(replyHead())),
    encoder: (answer: InferenceAnswer) => format.encoder(head(answer)),
    errorFrame: (error: unknown) => format.errorFrame(error, id, settings.supportEmail, replyHead()),
    isSentInStream: (error: unknown) => format.isSentInStream?.(error) ?? false,
  };
  return sendAnswer(reply, run.answer, stream, timing);
}

export function streamTiming({ clock, deadlines, chunks, inference, settings }: SurfaceParts): StreamTiming {
  const { holdHeadersMs, keepAliveEveryMs } = settings();
  return { clock, deadlines, chunks, holdHeadersMs, keepAliveEveryMs, onError: inference.onError };
}

/** When the client's own timeout will pass, on the clock's `elapsed` scale. */
export function clientDeadlineMs(exchange: Exchange, { startedMs }: ServedRequest): number | undefined {
  const timeoutMs = clientTimeoutMs(exchange.header('x-stainless-timeout'));
  return timeoutMs === undefined ? undefined : startedMs + timeoutMs;
}

/** The body text may be large. It is released after this function, except for parts that the format keeps. */
async function requestOf(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  { caller, reply }: ServedConversation,
): Promise<{ request: ChatRequest; digest: string | undefined }> {
  const settings = parts.settings();
  const withDigest = reply.terms !== undefined;
  const sent = exactBody(await exchange.readJson({ party: caller.key.accountId, withDigest }));
  reply.request.markBodyComplete(exchange);
  const { ignored } = parts.inference.current().catalog.rulesOf(caller.site);
  const body = withoutIgnored(sent, ignored, (text) => reply.request.note(text));
  const resolved = format.resolve ? await format.resolve(body, caller) : body;
  return { request: decoded(resolved, exchange, format, settings), digest: body.digest };
}

export function decoded(
  body: JsonBody,
  exchange: Exchange,
  format: ConversationFormat,
  settings: SurfaceSettings,
): ChatRequest {
  const request = format.decode(body, exchange);
  const tags = requestTags({ header: exchange.header(tagsHeader), metadata: request.wire.body['metadata'] });
  return { ...request, tags, defaultEffort: settings.isCodingAgent(exchange) ? 'max' : 'high' };
}

/** Converts an HTTP error to a case of the error table, because the record uses its cases. */
function toTableError(error: unknown): unknown {
  return error instanceof HttpFault ? new GatewayError(error.kind, { detail: error.detail, cause: error }) : error;
}
