import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow, EventSink } from '../core/event-flow.ts';
import type { Model } from '../core/model.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { TokenCounts, Usage } from '../core/usage.ts';
import { type ContinuedStart, continuedUsage } from './continued-usage.ts';
import type { Candidate } from './candidates.ts';
import type { OpenedStream } from './reached.ts';
import { errorClassOf } from './error-class.ts';

/** Whether another upstream can continue an answer to this request: it must be one text and nothing else. */
export function canContinue(model: Model, request: ChatRequest): boolean {
  return model.continue === 'prefill' && request.choices === 1 && !request.logprobs;
}

export interface Continuation {
  /** Finds an upstream that continues from the given beginning; rejects if there is none. */
  goOn(from: Candidate, error: unknown, beginning: ContinuedStart): Promise<OpenedStream>;
  readonly countTokens: (text: string) => Promise<TokenCounts>;
  readonly signal: AbortSignal;
}

const continuationsMax = 2;
/** A longer answer is not kept in memory, and cannot be continued. */
const charactersMax = 1024 * 1024;

/**
 * An answer that another upstream continues when its own fails, as long as it contains only text. The reader sees one
 * answer with one usage. If no upstream can continue, the reader sees the failure that ended it.
 */
export class ContinuedFlow implements EventFlow, EventSink {
  readonly #how: Continuation;
  #leg: OpenedStream;
  #sink: EventSink | undefined;
  #text = '';
  #isOnlyText = true;
  #beginning: ContinuedStart | undefined;
  /** The usage that the running part has reported so far, converted to the whole answer. */
  #told: Usage | undefined;
  #pieces = 0;
  #continuations = 0;
  #isPaused = false;
  #isOver = false;

  constructor(first: OpenedStream, how: Continuation) {
    this.#leg = first;
    this.#how = how;
  }

  start(sink: EventSink): void {
    this.#sink = sink;
    this.#leg.flow.start(this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#leg.flow.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#leg.flow.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#leg.flow.cancel();
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#isOver) return;
    const seen = this.#beginning ? batch.flatMap(this.#counted) : batch;
    for (const event of seen) this.#note(event);
    this.#sink?.events(seen);
  }

  end(): void {
    if (this.#isOver) return;
    const usage = this.#untoldUsage();
    if (usage) this.#sink?.events([{ type: 'usage', usage }]);
    this.#isOver = true;
    this.#sink?.end();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    const mayGoOn = this.#isOnlyText && this.#continuations < continuationsMax && errorClassOf(error) !== 'final';
    if (mayGoOn && !this.#how.signal.aborted) void this.#goOn(error);
    else this.#give(error);
  }

  async #goOn(error: unknown): Promise<void> {
    this.#continuations += 1;
    try {
      const text = this.#text;
      const { tokens: counted, source } = await this.#how.countTokens(text);
      const tokens = Math.max(counted[0] ?? 0, this.#told?.completionTokens ?? 0);
      this.#beginning = { text, tokens, source, told: this.#told };
      this.#told = undefined;
      this.#pieces = 0;
      this.#leg = await this.#how.goOn(this.#leg.candidate, error, this.#beginning);
      if (this.#isOver) return this.#leg.flow.cancel();
      this.#leg.flow.start(this);
      if (this.#isPaused) this.#leg.flow.pause();
    } catch {
      this.#give(this.#how.signal.aborted ? this.#how.signal.reason : error);
    }
  }

  #give(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink?.fail(error);
  }

  /** A continuation begins with a longer prompt; the reader must not see its usage so far. */
  readonly #counted = (event: StreamEvent): StreamEvent | [] => {
    if (event.type === 'usage-so-far') return [];
    return event.type === 'usage' && this.#beginning
      ? { type: 'usage', usage: continuedUsage(event.usage, this.#beginning) }
      : event;
  };

  #note(event: StreamEvent): void {
    if (event.type === 'usage') this.#told = event.usage;
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
  #untoldUsage(): Usage | undefined {
    if (!this.#beginning || this.#told) return undefined;
    const { told, tokens, source } = this.#beginning;
    return told && { ...told, completionTokens: tokens + this.#pieces, source };
  }
}
