import type { Caller } from '../core/caller.ts';
import type { ChatRequest, Effort } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { SurfaceTag } from '../core/model.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { Exchange } from '../http/exchange.ts';
import { HttpFault } from '../http/fault.ts';
import { type Answer, type InferenceParts, infer } from '../inference/infer.ts';
import { type ReplyEnd, RequestDraft } from '../inference/request-draft.ts';
import type { RunningRequest, RunningRequests } from '../inference/running-requests.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import { type AnswerEncoder, type StreamTiming, streamAnswer } from './answer-stream.ts';
import { bearerCaller, type KeyRing } from './caller.ts';
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
  decode(value: unknown, bytes: number): ChatRequest;
  encoder(about: AnswerHead): AnswerEncoder;
  /** The answer as one JSON value, for callers who opted out of the stream. */
  encodeWhole(events: readonly StreamEvent[], about: AnswerHead): unknown;
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
  const caller = await bearerCaller(exchange, parts.keys, catalog.siteFor(exchange.host));
  const draft = new RequestDraft(exchange.id, caller, exchange.path, parts.clock);
  const { signal, waits, leave } = parts.running.enter(caller, exchange.gone);
  const end = await reply(parts, format, exchange, { caller, draft, signal, waits }).catch(
    (error: unknown): ReplyEnd => {
      exchange.fail(error);
      return { error: tabled(error), isClientGone: exchange.gone.aborted, isCommitted: false };
    },
  );
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
  { caller, draft, signal, waits }: { caller: Caller; draft: RequestDraft } & Pick<RunningRequest, 'signal' | 'waits'>,
): Promise<ReplyEnd> {
  const created = Math.floor(parts.clock.now() / 1000);
  const settings = parts.settings();
  const { value, bytes } = await exchange.readJson(caller.key.accountId);
  const request = { ...format.decode(value, bytes), defaultEffort: defaultEffort(exchange, settings) };
  draft.asked(request);
  signal.throwIfAborted();
  const inquiry = { id: exchange.id, caller, surface: format.surface, request, signal, waits, draft };
  const opening = infer(parts.inference, inquiry);
  const head = (answer: Answer): AnswerHead => ({ id: exchange.id, created, answer, request });
  if (!request.wantsStream && parts.inference.current().catalog.honoursStreamFalse(caller.site)) {
    return sendWholeAnswer(exchange, opening, (answer, events) => format.encodeWhole(events, head(answer)));
  }
  const stream = {
    keepAlive: format.keepAlive,
    encoder: (answer: Answer) => format.encoder(head(answer)),
    errorFrame: (error: unknown) => format.errorFrame(error, exchange.id, settings.supportEmail),
  };
  return streamAnswer(exchange, opening, stream, settings);
}

/** The record names errors by the table, which the HTTP floor does not know. */
function tabled(error: unknown): unknown {
  return error instanceof HttpFault ? new GatewayError(error.kind, { cause: error }) : error;
}

function defaultEffort(exchange: Exchange, settings: SurfaceSettings): Effort {
  const agent = exchange.header('user-agent')?.toLowerCase();
  return agent && settings.codingAgents.some((name) => agent.includes(name)) ? 'max' : 'high';
}
