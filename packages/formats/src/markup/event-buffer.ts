import type { Logprobs, StreamEvent, TokenLogprob } from '../chat/stream-event.ts';

type TextType = 'text-delta' | 'reasoning-delta';

/** Collects events. Joins pieces of the same type, and keeps each token's logprob record with its text. */
export class EventBuffer {
  readonly #choice: number;
  readonly #fence = new CodeFence();
  #events: StreamEvent[] = [];
  #type: TextType = 'text-delta';
  #text = '';
  /** Logprob records in stream order, until their text is written or dropped. */
  #records: { readonly record: TokenLogprob; readonly at: number }[] = [];
  #writtenRecords: TokenLogprob[] = [];
  callCount = 0;

  constructor(choice: number) {
    this.#choice = choice;
  }

  /** Whether the next text is inside code, where markup is more likely an example. */
  get isInCode(): boolean {
    return this.#fence.isOpen;
  }

  /** Other text follows that is not written here, so a backtick at the end opens no code. */
  skipText(): void {
    this.#fence.closeInlineCode();
  }

  addLogprobs(logprobs: Logprobs, text: string, position: number): void {
    const isAligned = logprobs.reduce((length, { token }) => length + token.length, 0) === text.length;
    let at = position;
    for (const record of logprobs) {
      // A token without text belongs to the text before it.
      this.#records.push({ record, at: Math.max(position, Math.min(at, position + text.length - 1)) });
      if (isAligned) at += record.token.length;
    }
  }

  writeText(type: TextType, text: string, position: number): void {
    if (type !== this.#type) {
      this.#flush();
      this.#type = type;
    }
    if (this.#records.length > 0) this.#takeRecords(position, position + text.length);
    this.#text += text;
    this.#fence.push(text);
  }

  startCall(id: string, name: string): void {
    this.#flush();
    const call = this.callCount++;
    this.#events.push({ type: 'tool-call-start', choice: this.#choice, call, id, name });
  }

  writeArguments(json: string): void {
    if (json === '') return;
    const call = this.callCount - 1;
    const last = this.#events.at(-1);
    if (last?.type === 'tool-call-delta' && last.call === call) {
      this.#events[this.#events.length - 1] = { ...last, arguments: last.arguments + json };
    } else this.#events.push({ type: 'tool-call-delta', choice: this.#choice, call, arguments: json });
  }

  flag(event: Extract<StreamEvent, { type: 'anomaly' }>): void {
    this.#flush();
    this.#events.push(event);
  }

  /** Called where markup begins or ends. A code fence before it does not extend to the text after it. */
  endSection(): void {
    this.#flush();
    this.#fence.reset();
  }

  /** Writes records without text, such as those of half a character. */
  writeRecords(type: TextType): void {
    this.writeText(type, '', Number.POSITIVE_INFINITY);
    this.#flush();
  }

  /** Writes as text again what was written as reasoning before. */
  repeatAsText(text: string): void {
    this.#flush();
    this.#events.push({ type: 'text-delta', choice: this.#choice, text, isRepeated: true });
  }

  drain(): readonly StreamEvent[] {
    this.#flush();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Takes the records of a range of text. Records before the range belong to markup and are dropped. */
  #takeRecords(from: number, to: number): void {
    let count = 0;
    for (const { record, at } of this.#records) {
      if (at >= to && to !== Number.POSITIVE_INFINITY) break;
      count++;
      if (at >= from || to === Number.POSITIVE_INFINITY) this.#writtenRecords.push(record);
    }
    this.#records.splice(0, count);
  }

  #flush(): void {
    if (this.#text === '' && this.#writtenRecords.length === 0) return;
    const event = { type: this.#type, choice: this.#choice, text: this.#text };
    this.#events.push(this.#writtenRecords.length > 0 ? { ...event, logprobs: this.#writtenRecords } : event);
    this.#text = '';
    this.#writtenRecords = [];
  }
}

/** Tracks whether the text so far ends inside code: between fences, or directly after a backtick. */
class CodeFence {
  #isFenced = false;
  #ticks = 0;

  get isOpen(): boolean {
    return this.#isFenced || (this.#ticks > 0 && this.#ticks < fenceLength);
  }

  push(text: string): void {
    let at = 0;
    while (at < text.length) {
      if (text.charCodeAt(at) === backtick) {
        this.#ticks++;
        if (this.#ticks === fenceLength) this.#isFenced = !this.#isFenced;
        at++;
        continue;
      }
      this.#ticks = 0;
      const next = text.indexOf('`', at);
      if (next < 0) return;
      at = next;
    }
  }

  closeInlineCode(): void {
    this.#ticks = 0;
  }

  reset(): void {
    this.#isFenced = false;
    this.#ticks = 0;
  }
}

const backtick = 96;
const fenceLength = 3;
