import type { Caller } from '../core/caller.ts';
import type { ChatRequest, Effort } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import type { SurfaceTag } from '../core/model.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Exchange, JsonBody } from '../http/exchange.ts';
import { type Answer, type InferenceParts, infer } from '../inference/infer.ts';
import { type ReplyEnd, RequestDraft } from '../inference/request-draft.ts';
import type { RunningRequests } from '../inference/running-requests.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type AnswerEncoder, type StreamTiming, streamAnswer } from './answer-stream.ts';
import { callerWith, type KeyRing } from './caller.ts';
import { sendWholeAnswer } from './whole-answer.ts';

/** What the surfaces need of the rest of the gateway. */
export interface SurfaceParts {
  readonly clock: Clock;
  readonly keys: KeyRing;
  readonly inference: InferenceParts;
  readonly requests: { write(record: RequestRecord): void };
  readonly running: RunningRequests;
  settings(): SurfaceSettings;
}

/** What the configuration says about surfaces; a reload may change it between two requests. */
export interface SurfaceSettings extends StreamTiming {
  readonly supportEmail: string | undefined;
  /** The currency of balances. */
  readonly currency: string;
  /** Where the messages surface begins. */
  readonly messagesPrefix: string;
  /** Parts of a User-Agent that tell a coding agent, whose default effort is the highest. */
  readonly codingAgents: readonly string[];
}

/** What makes one conversational endpoint different from another: its wire format. */
export interface ConversationFormat {
  readonly surface: SurfaceTag;
  readonly keepAlive: string;
  /** The key, from the one header this surface takes it in. */
  secret(exchange: Exchange): string | undefined;
  decode(body: JsonBody, exchange: Exchange): ChatRequest;
  /** Whether this request is answered with one JSON body. */
  answersWhole(request: ChatRequest, settings: { readonly honoursStreamFalse: boolean }): boolean;
  encoder(about: AnswerHead): AnswerEncoder;
  /** The answer as one JSON text, for callers who do not want a stream. */
  encodeWhole(events: readonly StreamEvent[], about: AnswerHead): string;
  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined): string;
}

/** What every frame of an answer repeats. */
export interface AnswerHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly answer: Answer;
  readonly request: ChatRequest;
}

/** Serves one conversational request from its key to its last frame, and keeps its record. */
export async function converse(parts: SurfaceParts, format: ConversationFormat, exchange: Exchange): Promise<void> {
  const { catalog } = parts.inference.current();
  const caller = await callerWith(format.secret(exchange), parts.keys, catalog.siteFor(exchange.host));
  const draft = new RequestDraft(exchange.id, caller, exchange.path, parts.clock);
  const { signal, leave } = parts.running.enter(caller, exchange.gone);
  const end = await reply(parts, format, exchange, { caller, draft, signal }).catch((error: unknown): ReplyEnd => {
    exchange.fail(error);
    return { error, isClientGone: exchange.gone.aborted, isCommitted: false };
  });
  try {
    parts.requests.write(await draft.close(end));
  } finally {
    leave();
  }
}

async function reply(
  parts: SurfaceParts,
  format: ConversationFormat,
  exchange: Exchange,
  { caller, draft, signal }: { caller: Caller; draft: RequestDraft; signal: AbortSignal },
): Promise<ReplyEnd> {
  const created = Math.floor(parts.clock.now() / 1000);
  const settings = parts.settings();
  const request = await requestOf(exchange, format, settings);
  draft.asked(request);
  signal.throwIfAborted();
  const inquiry = { id: exchange.id, caller, surface: format.surface, request, signal, draft };
  const opening = infer(parts.inference, inquiry);
  const head = (answer: Answer): AnswerHead => ({ id: exchange.id, created, answer, request });
  const honoursStreamFalse = parts.inference.current().catalog.honoursStreamFalse(caller.site);
  if (format.answersWhole(request, { honoursStreamFalse })) {
    const encode = (answer: Answer, events: readonly StreamEvent[]) => format.encodeWhole(events, head(answer));
    return sendWholeAnswer(exchange, opening, encode);
  }
  const stream = {
    keepAlive: format.keepAlive,
    encoder: (answer: Answer) => format.encoder(head(answer)),
    errorFrame: (error: unknown) => format.errorFrame(error, exchange.id, settings.supportEmail),
  };
  return streamAnswer(exchange, opening, stream, settings);
}

/** The body's text is as long as the body; only what the format keeps of it outlives this function. */
async function requestOf(
  exchange: Exchange,
  format: ConversationFormat,
  settings: SurfaceSettings,
): Promise<ChatRequest> {
  const request = format.decode(await exchange.readJson(), exchange);
  return { ...request, defaultEffort: defaultEffort(exchange, settings) };
}

function defaultEffort(exchange: Exchange, settings: SurfaceSettings): Effort {
  const agent = exchange.header('user-agent')?.toLowerCase();
  return agent && settings.codingAgents.some((name) => agent.includes(name)) ? 'max' : 'high';
}
