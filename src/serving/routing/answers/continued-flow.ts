import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { TokenCounts, Usage } from 'chat-formats/chat/usage.ts';
import type { Candidate } from '../candidates/candidates.ts';
import type { OpenedStream } from '../opened-stream.ts';
import { errorClassOf } from '../error-class.ts';

/** Whether another upstream can continue an answer to this request: it must be one text and nothing else. */
export function canContinue(model: Model, request: ChatRequest): boolean {
  return model.continue === 'prefill' && request.choices === 1 && !request.logprobs;
}

export interface Continuation {
  /** Finds an upstream that continues from the given beginning; rejects if there is none. */
  continueFrom(from: Candidate, error: unknown, beginning: ContinuedStart): Promise<OpenedStream>;
  readonly countTokens: (text: string) => Promise<TokenCounts>;
  readonly signal: AbortSignal;
}

const continuationsMax = 2;
/** A longer answer is not kept in memory, and cannot be continued. */
const charactersMax = 1024 * 1024;

/** Another upstream continues a text that breaks off: the reader sees one answer, or the failure if none can. */
export class ContinuedFlow implements EventFlow, EventSink {
  readonly #continuation: Continuation;
  #part: OpenedStream;
  #sink: EventSink | undefined;
  #text = '';
  #isOnlyText = true;
  #beginning: ContinuedStart | undefined;
  /** The usage that the running part has reported so far, converted to the whole answer. */
  #reportedUsage: Usage | undefined;
  #pieces = 0;
  #continuations = 0;
  #isPaused = false;
  #isOver = false;

  constructor(first: OpenedStream, continuation: Continuation) {
    this.#part = first;
    this.#continuation = continuation;
  }

  start(sink: EventSink): void {
    this.#sink = sink;
    this.#part.flow.start(this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#part.flow.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#part.flow.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#part.flow.cancel();
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#isOver) return;
    const seen = this.#beginning ? batch.flatMap(this.#converted) : batch;
    for (const event of seen) this.#record(event);
    this.#sink?.events(seen);
  }

  end(): void {
    if (this.#isOver) return;
    const usage = this.#missingUsage();
    if (usage) this.#sink?.events([{ type: 'usage', usage }]);
    this.#isOver = true;
    this.#sink?.end();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    const isContinuable = this.#isOnlyText && this.#continuations < continuationsMax && errorClassOf(error) !== 'final';
    if (isContinuable && !this.#continuation.signal.aborted) void this.#continue(error);
    else this.#failWith(error);
  }

  async #continue(error: unknown): Promise<void> {
    this.#continuations += 1;
    try {
      const text = this.#text;
      const { tokens: counted, source } = await this.#continuation.countTokens(text);
      const tokens = Math.max(counted[0] ?? 0, this.#reportedUsage?.completionTokens ?? 0);
      this.#beginning = { text, tokens, source, reportedUsage: this.#reportedUsage };
      this.#reportedUsage = undefined;
      this.#pieces = 0;
      this.#part = await this.#continuation.continueFrom(this.#part.candidate, error, this.#beginning);
      if (this.#isOver) return this.#part.flow.cancel();
      this.#part.flow.start(this);
      if (this.#isPaused) this.#part.flow.pause();
    } catch {
      this.#failWith(this.#continuation.signal.aborted ? this.#continuation.signal.reason : error);
    }
  }

  #failWith(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(error);
  }

  /** A continuation begins with a longer prompt; the reader must not see its usage so far. */
  readonly #converted = (event: StreamEvent): StreamEvent | [] => {
    if (event.type === 'usage-so-far') return [];
    return event.type === 'usage' && this.#beginning
      ? { type: 'usage', usage: continuedUsage(event.usage, this.#beginning) }
      : event;
  };

  #record(event: StreamEvent): void {
    if (event.type === 'usage') this.#reportedUsage = event.usage;
    if (event.type === 'usage' || event.type === 'usage-so-far' || event.type === 'anomaly') return;
    this.#pieces += 1;
    if (event.type !== 'text-delta' || event.logprobs || this.#text.length > charactersMax) this.#isOnlyText = false;
    else if (this.#isOnlyText) this.#text += event.text;
    if (!this.#isOnlyText) this.#text = '';
  }

  /**
   * If the continuation reported no usage, the usage of the first part must not count for the whole answer. Each event
   * of the continuation counts as one token, the least it can be.
   */
  #missingUsage(): Usage | undefined {
    if (!this.#beginning || this.#reportedUsage) return undefined;
    const { reportedUsage, tokens, source } = this.#beginning;
    return reportedUsage && { ...reportedUsage, completionTokens: tokens + this.#pieces, source };
  }
}

/** The part of an answer before another upstream continued it. */
export interface ContinuedStart {
  readonly text: string;
  readonly tokens: number;
  /** How its tokens were counted. */
  readonly source: TokenCounts['source'];
  /** The usage that the provider had reported by then, if it reports usage during the stream. */
  readonly reportedUsage: Usage | undefined;
}

/**
 * The usage of the whole answer, from the usage of the continuation. For its provider the beginning was prompt; for the
 * client it is output. The prompt counts once. The sum is as reported; the gateway computes the split.
 */
function continuedUsage(usage: Usage, { tokens, source, reportedUsage }: ContinuedStart): Usage {
  const promptTokens = reportedUsage?.promptTokens ?? Math.max(0, usage.promptTokens - tokens);
  return {
    ...usage,
    promptTokens,
    completionTokens: tokens + usage.completionTokens,
    cachedTokens: usage.cachedTokens === undefined ? undefined : Math.min(usage.cachedTokens, promptTokens),
    source,
  };
}
