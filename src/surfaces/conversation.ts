import type { KeyRing } from '../accounts/key-ring.ts';
import type { BodyCopy } from '../bodies/body-copy.ts';
import type { BodyKeeper } from '../bodies/body-keeper.ts';
import { bodiesDropped } from '../bodies/stored-bodies.ts';
import type { Caller, KeyHolder } from '../core/caller.ts';
import type { ChatRequest, Effort } from '../core/chat-request.ts';
import type { ChunkWatch } from '../core/chunk-watch.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { SurfaceTag } from '../core/model.ts';
import type { RequestTraces } from '../core/request-trace.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Exchange, JsonBody } from '../http/exchange.ts';
import { HttpFault } from '../http/fault.ts';
import { infer } from '../inference/infer.ts';
import type {
  InferenceAnswer,
  StartedInference,
  InferenceParts,
  InferenceInput,
} from '../inference/inference-input.ts';
import type { RunningRequest, RunningRequests } from '../inference/running-requests.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type AnswerEncoder, type StreamTiming, streamAnswer } from './answer-stream.ts';
import { exactBody } from './exact-body.ts';
import { claimedCaller, reloadChangedKey, type KeyHeader, requireAddress } from './caller.ts';
import { clientTimeoutMs } from './client-timeout.ts';
import type { AgentTest } from './coding-agents.ts';
import { type JoiningParts, madeElsewhere, type Rejoinable, rejoined, shareable } from './joined-reply.ts';
import type { ReplyEnd } from './reply-end.ts';
import { ServedRequest } from './served-request.ts';
import type { ReplyTarget } from './reply-target.ts';
import type { SharedReply } from './shared-reply.ts';
import { sendWholeAnswer } from './whole-answer.ts';

/** What the surfaces need of the rest of the gateway. */
export interface SurfaceParts extends JoiningParts {
  readonly keys: Pick<KeyRing, 'holder' | 'remembered'>;
  readonly inference: InferenceParts;
  readonly requests: { write(record: RequestRecord): void };
  readonly running: RunningRequests;
  /** The turns of keys that may have only so many requests at once. */
  readonly turns?: { of(key: KeyHolder): (NonNullable<InferenceInput['keySlot']> & { leave(): void }) | undefined };
  /** Stores the bodies of requests whose keys want it. */
  readonly bodies?: Pick<BodyKeeper, 'copyFor' | 'keep'>;
  readonly settings: () => SurfaceSettings;
  /** Where requests are traced. */
  readonly traces?: RequestTraces | undefined;
  /** Looks at some of what passes to clients. */
  readonly chunks?: ChunkWatch | undefined;
}

/** Serves a request in the fast path, if that can be done; otherwise nothing has happened. */
export interface ChatFastPath {
  take(exchange: Exchange): boolean;
}

/** What the configuration says about surfaces; a reload may change it between two requests. */
export interface SurfaceSettings extends Omit<StreamTiming, 'clock' | 'chunks'> {
  readonly supportEmail: string | undefined;
  /** The currency of balances. */
  readonly currency: string;
  /** Where the messages surface begins. */
  readonly messagesPrefix: string;
  /** Tells coding agents, whose default effort is the highest. */
  readonly isCodingAgent: AgentTest;
}

/** What makes one conversational endpoint different from another: its wire format. */
export interface ConversationFormat {
  readonly surface: SurfaceTag;
  /** Sent while there is nothing to say; what it says may depend on how far the request has come. */
  readonly keepAlive: string | ((about: ReplyHead) => string);
  /** The key, from the one header this surface takes it in. */
  readonly secret: KeyHeader;
  /** What the body stands for, where that must be looked up before it can be read. */
  resolve?(body: JsonBody, caller: Caller): Promise<JsonBody>;
  decode(body: JsonBody, exchange: Exchange): ChatRequest;
  /** Whether this request is answered with one JSON body. */
  answersWhole(request: ChatRequest, settings: { readonly honoursStreamFalse: boolean }): boolean;
  encoder(about: AnswerHead): AnswerEncoder;
  /** The answer as one JSON text, for callers who do not want a stream. */
  encodeWhole(events: readonly StreamEvent[], about: AnswerHead): string | Promise<string>;
  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string;
  /** Whether clients of the format are better told of an error in a stream than by its status. */
  isToldInStream?(error: unknown): boolean;
}

/** What is known of a reply before its answer begins. */
export interface ReplyHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly request: ChatRequest;
  /** The catalog id of the model, once it is known that the caller may use it. */
  readonly model: string | undefined;
  /** Whether no provider is at work on the request: it waits for its turn, or for the next try. */
  readonly isWaiting: boolean;
}

/** What every frame of an answer repeats. */
export interface AnswerHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly answer: InferenceAnswer;
  readonly request: ChatRequest;
}

/** Serves one conversational request from its key to its last frame, and keeps its record. */
export async function converse(parts: SurfaceParts, format: ConversationFormat, exchange: Exchange): Promise<void> {
  const { catalog } = parts.inference.current();
  const { keys, clock } = parts;
  const { caller, confirm } = await claimedCaller(exchange, format.secret, { keys, clock, catalog });
  const served = new ServedRequest(exchange, caller, parts.clock, parts.traces?.begin(exchange));
  const shared = shareable(parts, exchange, served);
  const about = { caller, served, shared: shared?.reply };
  await serve(parts, exchange, about, (running) =>
    reply(parts, format, exchange, { caller, confirm, served, running, shared }),
  );
}

/** A request that the fast path has made the first call for. */
interface HandedOver extends ServedConversation {
  readonly request: ChatRequest;
  readonly begun: StartedInference;
  /** Why it is to end, if it is. */
  readonly cutOffBy: Error | undefined;
}

/** Serves the rest of a request that has come to its first call already. */
export async function takeOver(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  handed: HandedOver,
): Promise<void> {
  await serve(parts, exchange, handed, (running) => {
    if (handed.cutOffBy) running.end(handed.cutOffBy);
    return answer(parts, format, exchange, { ...handed, running, isAnsweredWhole: false });
  });
}

/** Whose request is served, and who else may read the reply. */
interface ServedConversation {
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly shared: SharedReply | undefined;
}

/** Replies, and keeps the record, however the reply ends. */
export async function serve(
  parts: SurfaceParts,
  exchange: Exchange,
  { caller, served, shared }: ServedConversation,
  replying: (running: RequestUnderWay['running']) => Promise<ReplyEnd>,
): Promise<void> {
  const target = shared ?? exchange;
  const { leave, ...running } = parts.running.enter(caller, target.gone);
  const keySlot = parts.turns?.of(caller.key);
  const bodies = parts.bodies?.copyFor(caller.key);
  if (bodies) exchange.watchBodies(bodies);
  try {
    const end = await replied(exchange, caller, () => replying({ ...running, keySlot })).catch((error: unknown) =>
      refused(target, exchange, error),
    );
    shared?.close(end);
    if (shared) parts.claims?.ended(shared.id, end);
    // The log of a request whose client left says that, and operators would not hear of a mistake of ours.
    if (end.isClientGone && isInternalError(end.error)) parts.inference.onError(end.error);
    if (bodies) keepBodies(parts, { caller, served, bodies });
    parts.requests.write(await served.record({ ...end, isClientGone: end.isClientGone || exchange.gone.aborted }));
  } finally {
    // Whatever went wrong before they were kept, their room is free again.
    bodies?.take();
    keySlot?.leave();
    leave();
  }
}

interface ServedBodies {
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly bodies: BodyCopy;
}

/** Has them stored, and the record say so. A mistake there is ours alone: the client has its answer. */
function keepBodies(parts: SurfaceParts, { caller: { key }, served, bodies }: ServedBodies): void {
  try {
    const owner = { id: served.id, accountId: key.accountId, keyId: key.keyId };
    const note = parts.bodies?.keep(owner, bodies);
    if (note !== undefined) served.note(note);
  } catch (error) {
    parts.inference.onError(error);
    served.note(bodiesDropped);
  }
}

/** Whoever may not use the key from where they are gets no further, and finds the refusal among the requests. */
async function replied(exchange: Exchange, caller: Caller, replying: () => Promise<ReplyEnd>): Promise<ReplyEnd> {
  requireAddress(exchange, caller.key);
  return replying();
}

/** Tells the client what the error means, as far as that is still possible. */
function refused(target: ReplyTarget, exchange: Exchange, error: unknown): ReplyEnd {
  const isClientGone = exchange.gone.aborted;
  if (target.gone.aborted && error === target.gone.reason) {
    return { error: undefined, isClientGone, isCommitted: false };
  }
  let told = error;
  try {
    target.fail(error);
  } catch (mistake) {
    told = mistake;
  }
  return { error: tabled(told), isClientGone, isCommitted: false };
}

/** Our own mistakes are no cases of the error table. */
export function isInternalError(error: unknown): boolean {
  return error !== undefined && !(error instanceof GatewayError);
}

/** A request on its way, and what others of it may share. */
interface RequestUnderWay extends Rejoinable {
  readonly running: Pick<RunningRequest, 'signal' | 'waits' | 'end'> & Pick<InferenceInput, 'keySlot'>;
}

interface RequestRead extends Omit<RequestUnderWay, 'shared'> {
  readonly shared: SharedReply | undefined;
  readonly request: ChatRequest;
  readonly isAnsweredWhole: boolean;
  readonly begun?: StartedInference;
}

async function reply(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  underWay: RequestUnderWay,
): Promise<ReplyEnd> {
  const { caller, served, shared, running } = underWay;
  const { request, digest } = await requestOf(exchange, format, {
    settings: parts.settings(),
    caller,
    served,
    withDigest: shared !== undefined,
  });
  const joined = await rejoined(parts, exchange, underWay, digest);
  if (joined) return joined;
  const ofSite = parts.inference.current().catalog.honoursStreamFalse(caller.site);
  const honoursStreamFalse = ofSite || caller.key.honoursStreamFalse === true;
  const isAnsweredWhole = format.answersWhole(request, { honoursStreamFalse });
  served.asks(request, isAnsweredWhole);
  running.signal.throwIfAborted();
  const elsewhere = await madeElsewhere(parts, underWay, {
    path: exchange.path,
    digest,
    model: () => parts.inference.current().catalog.require(caller, request.model, format.surface).id,
    errorFrame: (error) => {
      const created = Math.floor(served.startedAt / 1000);
      const head = { id: served.id, created, request, model: request.model, isWaiting: false };
      return format.errorFrame(error, served.id, parts.settings().supportEmail, head);
    },
  });
  if (elsewhere) return elsewhere;
  return answer(parts, format, exchange, { ...underWay, shared: shared?.reply, request, isAnsweredWhole });
}

/** Asks for the answer and sends it on, as one body or as it arrives. */
function answer(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  { caller, confirm, served, running, shared, request, isAnsweredWhole, begun }: RequestRead,
): Promise<ReplyEnd> {
  const { clock, inference } = parts;
  const { id } = exchange;
  const created = Math.floor(served.startedAt / 1000);
  const timeoutMs = clientTimeoutMs(exchange.header('x-stainless-timeout'));
  const giveUpMs = timeoutMs === undefined ? undefined : served.startedMs + timeoutMs;
  const reloadKey = () =>
    reloadChangedKey(exchange, format.secret, {
      keys: parts.keys,
      catalog: inference.current().catalog,
      key: caller.key,
    });
  const about = { id, caller, surface: format.surface, request, isAnsweredWhole, giveUpMs, begun, confirm, reloadKey };
  const { startedMs } = served;
  const inferring = infer(inference, { ...about, startedMs, trace: served.trace, ...running });
  served.isAnsweredBy(inferring);
  const target = shared ?? exchange;
  const head = (begun: InferenceAnswer): AnswerHead => ({ id, created, answer: begun, request });
  if (isAnsweredWhole) {
    const encode = (begun: InferenceAnswer, events: readonly StreamEvent[]) => format.encodeWhole(events, head(begun));
    return sendWholeAnswer(target, inferring.answer, encode);
  }
  const settings = parts.settings();
  const { keepAlive } = format;
  const replyHead = (): ReplyHead => ({ id, created, request, model: inferring.model, isWaiting: !inferring.isSent });
  const stream = {
    keepAlive: () => (typeof keepAlive === 'string' ? keepAlive : keepAlive(replyHead())),
    encoder: (begun: InferenceAnswer) => format.encoder(head(begun)),
    errorFrame: (error: unknown) => format.errorFrame(error, id, settings.supportEmail, replyHead()),
    isToldInStream: (error: unknown) => format.isToldInStream?.(error) ?? false,
  };
  const passedMs = clock.elapsed() - served.startedMs;
  const holdHeadersMs = Math.max(0, settings.holdHeadersMs - passedMs);
  return streamAnswer(target, inferring.answer, stream, { ...settings, holdHeadersMs, clock, chunks: parts.chunks });
}

/** The body's text is as long as the body; only what the format keeps of it outlives this function. */
async function requestOf(
  exchange: Exchange,
  format: ConversationFormat,
  about: { settings: SurfaceSettings; caller: Caller; served: ServedRequest; withDigest: boolean },
): Promise<{ request: ChatRequest; digest: string | undefined }> {
  const { settings, caller, withDigest } = about;
  const body = exactBody(await exchange.readJson({ party: caller.key.accountId, withDigest }));
  about.served.bodyCame(exchange);
  const resolved = format.resolve ? await format.resolve(body, caller) : body;
  return { request: decoded(resolved, exchange, format, settings), digest: body.digest };
}

/** What a body asks for. */
export function decoded(
  body: JsonBody,
  exchange: Exchange,
  format: ConversationFormat,
  settings: SurfaceSettings,
): ChatRequest {
  return { ...format.decode(body, exchange), defaultEffort: defaultEffort(exchange, settings) };
}

/** The record names errors by the table, which the HTTP floor does not know. */
function tabled(error: unknown): unknown {
  return error instanceof HttpFault ? new GatewayError(error.kind, { detail: error.detail, cause: error }) : error;
}

function defaultEffort(exchange: Exchange, settings: SurfaceSettings): Effort {
  return settings.isCodingAgent(exchange) ? 'max' : 'high';
}
