import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { SplicedText } from 'chat-formats/json/spliced-text.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { type TokenCounts, type Usage, unreportedUsage } from 'chat-formats/chat/usage.ts';
import { ToolCallMeter } from './tool-call-meter.ts';
import { promptText } from './prompt-text.ts';
import { TextSample } from './text-sample.ts';
import { changesIn, tokensAtLeast } from './tokens-at-least.ts';

/** A scan of more characters would delay other requests. */
const promptCharactersMax = 1_000_000;

/** Limits of the unread text of one answer, so that it uses no more memory than a text sample. */
const unreadMax = 64;
const unreadBytesMax = 16 * 1024;

/** Counts the tokens of each text if the provider did not. */
type CountTokens = (texts: readonly string[]) => Promise<TokenCounts>;

/** Finish reason and usage of an answer so far. */
export class UsageMeter {
  #request: ChatRequest;
  readonly #countTokens: CountTokens;
  #output = new TextSample();
  #reasoning = new TextSample();
  #usage: Usage | undefined;
  /** The provider's report at the start of the answer. Its prompt tokens are final. */
  #startUsage: Usage | undefined;
  #counting: Promise<Usage> | undefined;
  /** The provider's finish reason of the first choice. */
  finish: string | undefined;
  /** Spliced text that was passed on without parsing. Most of it is never read. */
  #unread: SplicedText[] = [];
  #unreadBytes = 0;
  /** Pieces of output of this answer, and of discarded answers. */
  #pieces = 0;
  #piecesBefore = 0;
  #outputChanges = 0;
  #promptTokensAtLeast: number | undefined;
  readonly anomalies: string[] = [];
  readonly calls = new ToolCallMeter();

  constructor(request: ChatRequest, countTokens: CountTokens) {
    this.#request = request;
    this.#countTokens = countTokens;
  }

  measure(batch: readonly (StreamEvent | SplicedText)[]): void {
    for (const event of batch) {
      switch (event.type) {
        case 'spliced-text':
          this.#defer(event);
          break;
        case 'text-delta':
          if (!event.isRepeated) this.#addPiece(this.#output, event.text);
          break;
        case 'reasoning-delta':
          this.#addPiece(this.#reasoning, event.text);
          break;
        case 'tool-call-start':
          this.calls.measure(event);
          this.#addPiece(this.#output, event.name);
          break;
        case 'tool-call-delta':
          this.calls.measure(event);
          this.#addPiece(this.#output, event.arguments);
          break;
        case 'finish':
          this.calls.measure(event);
          this.finish ??= event.raw;
          break;
        case 'usage':
          this.#usage = event.usage;
          break;
        case 'usage-so-far':
          this.#startUsage = event.usage;
          break;
        case 'reasoning-signature':
        case 'redacted-reasoning':
        case 'own-block':
        case 'verbatim':
          break;
        case 'anomaly':
          this.calls.measure(event);
          if (!this.anomalies.includes(event.what)) this.anomalies.push(event.what);
          break;
        default:
          event satisfies never;
      }
    }
  }

  /** Resets the meter for a re-prompt or another attempt. Anomalies and calls are kept. */
  startOver(request: ChatRequest): void {
    this.#request = request;
    this.#output = new TextSample();
    this.#reasoning = new TextSample();
    this.#usage = undefined;
    this.#startUsage = undefined;
    this.#counting = undefined;
    this.finish = undefined;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#piecesBefore += this.#pieces;
    this.#pieces = 0;
    this.#outputChanges = 0;
    this.#promptTokensAtLeast = undefined;
  }

  /** Pieces of output so far, discarded answers included. */
  get pieces(): number {
    return this.#piecesBefore + this.#pieces;
  }

  /** Whether the answer has neither output nor a usage report. */
  get isEmpty(): boolean {
    return this.#pieces === 0 && this.#usage === undefined;
  }

  /** Whether the request has provider tools and the provider does not report their uses. */
  get lacksToolUses(): boolean {
    return this.#request.providerTools.length > 0 && this.reported?.toolUses === undefined;
  }

  /** The provider's latest usage report, from the start or the end of the answer. */
  get reported(): Usage | undefined {
    return this.#usage ?? this.#startUsage;
  }

  /** A lower bound: a piece may be less than a token, and a token has a maximum number of characters. */
  get outputTokensAtLeast(): number {
    this.#readUnread();
    return Math.max(this.#usage?.completionTokens ?? 0, Math.min(this.#pieces, tokensAtLeast(this.#outputChanges)));
  }

  /** The same for the first 1,000,000 characters of the prompt. */
  get promptTokensAtLeast(): number {
    this.#promptTokensAtLeast ??= tokensAtLeast(changesIn(promptText(this.#request).slice(0, promptCharactersMax)));
    return this.#promptTokensAtLeast;
  }

  /** Whether the provider has reported the final usage. */
  get isReportedByProvider(): boolean {
    return this.#usage?.source === 'upstream';
  }

  /** The provider's report, otherwise the gateway's own count. */
  usage(): Usage | Promise<Usage> {
    if (this.#usage) return this.#usage;
    this.#counting ??= this.#count();
    return this.#counting;
  }

  #addPiece(sample: TextSample, text: string): void {
    // Keep the order of texts in the sample.
    if (this.#unread.length > 0) this.#readUnread();
    this.#pieces += 1;
    this.#addText(sample, text);
  }

  #addText(sample: TextSample, text: string): void {
    this.#outputChanges += changesIn(text);
    sample.add(text);
  }

  #defer(spliced: SplicedText): void {
    this.#pieces += spliced.pieces;
    this.#unread.push(spliced);
    this.#unreadBytes += spliced.bytes;
    if (this.#unread.length > unreadMax || this.#unreadBytes > unreadBytesMax) this.#readUnread();
  }

  #readUnread(): void {
    for (const spliced of this.#unread.splice(0)) {
      const sample = spliced.kind === 'text-delta' ? this.#output : this.#reasoning;
      for (const text of spliced.texts()) this.#addText(sample, text);
    }
    this.#unreadBytes = 0;
  }

  async #count(): Promise<Usage> {
    this.#readUnread();
    const texts = [promptText(this.#request), this.#output.text, this.#reasoning.text];
    const { tokens, source } = await this.#countTokens(texts);
    const [prompt = 0, output = 0, reasoning = 0] = tokens;
    const reasoningTokens = Math.round(reasoning * this.#reasoning.scale);
    return {
      ...unreportedUsage,
      ...this.#startUsage,
      promptTokens: this.#startUsage?.promptTokens ?? prompt,
      completionTokens: Math.round(output * this.#output.scale) + reasoningTokens,
      reasoningTokens: this.#reasoning.isEmpty ? undefined : reasoningTokens,
      source,
    };
  }
}
