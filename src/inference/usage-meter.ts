import type { ChatRequest } from '../core/chat-request.ts';
import type { SplicedText } from '../core/spliced-text.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import { type TokenCounts, type Usage, unsaidUsage } from '../core/usage.ts';
import { ToolCallMeter } from './tool-call-meter.ts';
import { promptText } from './prompt-text.ts';
import { TextSample } from './text-sample.ts';
import { changesIn, tokensAtLeast } from './tokens-at-least.ts';

/** A look at more would be noticed by everybody else. */
const promptCharactersMax = 1_000_000;

/** What is kept unread of one answer, so that it takes no more memory than a reader would. */
const unreadMax = 64;
const unreadBytesMax = 16 * 1024;

/** Tokens of each text, for what a provider leaves unsaid. */
type CountTokens = (texts: readonly string[]) => Promise<TokenCounts>;

/** What is known of an answer so far: why it finished and what it used. */
export class UsageMeter {
  #request: ChatRequest;
  readonly #countTokens: CountTokens;
  #output = new TextSample();
  #reasoning = new TextSample();
  #usage: Usage | undefined;
  /** What the provider said when the answer began: its input is true. */
  #begun: Usage | undefined;
  #counting: Promise<Usage> | undefined;
  /** The provider's own word for why the first choice ended. */
  finish: string | undefined;
  /** Text that was passed on unread: most of it is never looked at. */
  #unread: SplicedText[] = [];
  #unreadBytes = 0;
  /** Pieces of output so far, and those of answers that were thrown away. */
  #pieces = 0;
  #piecesBefore = 0;
  #outputChanges = 0;
  #promptTokensAtLeast: number | undefined;
  /** What was odd about the answer. */
  readonly anomalies: string[] = [];
  readonly calls = new ToolCallMeter();

  constructor(request: ChatRequest, countTokens: CountTokens) {
    this.#request = request;
    this.#countTokens = countTokens;
  }

  see(batch: readonly (StreamEvent | SplicedText)[]): void {
    for (const event of batch) {
      switch (event.type) {
        case 'spliced-text':
          this.#putAside(event);
          break;
        case 'text-delta':
          if (!event.isRepeated) this.#say(this.#output, event.text);
          break;
        case 'reasoning-delta':
          this.#say(this.#reasoning, event.text);
          break;
        case 'tool-call-start':
          this.calls.see(event);
          this.#say(this.#output, event.name);
          break;
        case 'tool-call-delta':
          this.calls.see(event);
          this.#say(this.#output, event.arguments);
          break;
        case 'finish':
          this.calls.see(event);
          this.finish ??= event.raw;
          break;
        case 'usage':
          this.#usage = event.usage;
          break;
        case 'usage-so-far':
          this.#begun = event.usage;
          break;
        case 'reasoning-signature':
        case 'redacted-reasoning':
        case 'own-block':
        case 'verbatim':
          break;
        case 'anomaly':
          this.calls.see(event);
          if (!this.anomalies.includes(event.what)) this.anomalies.push(event.what);
          break;
        default:
          event satisfies never;
      }
    }
  }

  /** Another answer is asked for in the place of this one, by another request. What was odd about it is still told. */
  startOver(request: ChatRequest): void {
    this.#request = request;
    this.#output = new TextSample();
    this.#reasoning = new TextSample();
    this.#usage = undefined;
    this.#begun = undefined;
    this.#counting = undefined;
    this.finish = undefined;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#piecesBefore += this.#pieces;
    this.#pieces = 0;
    this.#outputChanges = 0;
    this.#promptTokensAtLeast = undefined;
  }

  /** Pieces of output so far. */
  get pieces(): number {
    return this.#piecesBefore + this.#pieces;
  }

  /** Whether nothing came of the answer: no output, and no word of what it used. */
  get isEmpty(): boolean {
    return this.#pieces === 0 && this.#usage === undefined;
  }

  /** Whether tools of the provider were asked for and it does not say how often it ran them. */
  get lacksToolUses(): boolean {
    return this.#request.providerTools.length > 0 && this.told?.toolUses === undefined;
  }

  /** What the provider has told by now, at the beginning or since. */
  get told(): Usage | undefined {
    return this.#usage ?? this.#begun;
  }

  /** No provider counts fewer: a piece may be less than a token, and a token is so many characters at the most. */
  get outputTokensAtLeast(): number {
    this.#readUnread();
    return Math.max(this.#usage?.completionTokens ?? 0, Math.min(this.#pieces, tokensAtLeast(this.#outputChanges)));
  }

  /** The same for the prompt, as far as it is looked at. */
  get promptTokensAtLeast(): number {
    this.#promptTokensAtLeast ??= tokensAtLeast(changesIn(promptText(this.#request).slice(0, promptCharactersMax)));
    return this.#promptTokensAtLeast;
  }

  /** Whether the provider has told what the answer used. */
  get isToldByProvider(): boolean {
    return this.#usage?.source === 'upstream';
  }

  /** What the answer used: the provider's figures, or our own count of what passed when it gave none. */
  usage(): Usage | Promise<Usage> {
    if (this.#usage) return this.#usage;
    this.#counting ??= this.#count();
    return this.#counting;
  }

  #say(sample: TextSample, text: string): void {
    // What came first stands first in the sample.
    if (this.#unread.length > 0) this.#readUnread();
    this.#pieces += 1;
    this.#hear(sample, text);
  }

  #hear(sample: TextSample, text: string): void {
    this.#outputChanges += changesIn(text);
    sample.add(text);
  }

  #putAside(spliced: SplicedText): void {
    this.#pieces += spliced.pieces;
    this.#unread.push(spliced);
    this.#unreadBytes += spliced.bytes;
    if (this.#unread.length > unreadMax || this.#unreadBytes > unreadBytesMax) this.#readUnread();
  }

  #readUnread(): void {
    for (const spliced of this.#unread.splice(0)) {
      const sample = spliced.kind === 'text-delta' ? this.#output : this.#reasoning;
      for (const text of spliced.texts()) this.#hear(sample, text);
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
      ...unsaidUsage,
      ...this.#begun,
      promptTokens: this.#begun?.promptTokens ?? prompt,
      completionTokens: Math.round(output * this.#output.scale) + reasoningTokens,
      reasoningTokens: this.#reasoning.isEmpty ? undefined : reasoningTokens,
      source,
    };
  }
}
