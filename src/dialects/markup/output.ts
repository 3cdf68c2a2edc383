import type { Logprobs, StreamEvent, TokenLogprob } from '../../core/stream-event.ts';
import { CodeFence } from './code-fence.ts';

type TextType = 'text-delta' | 'reasoning-delta';

/** Collects what was read as events, pieces of the same kind joined, each token's record with its text. */
export class Output {
  readonly #choice: number;
  readonly #fence = new CodeFence();
  #events: StreamEvent[] = [];
  #type: TextType = 'text-delta';
  #text = '';
  /** Records of tokens in the order of their place in the stream, until their text is said or dropped. */
  #records: { readonly record: TokenLogprob; readonly at: number }[] = [];
  #said: TokenLogprob[] = [];
  #callCount = 0;

  constructor(choice: number) {
    this.#choice = choice;
  }

  get callCount(): number {
    return this.#callCount;
  }

  /** Whether what comes next stands in code, where markup is more likely an example. */
  get isInCode(): boolean {
    return this.#fence.isOpen;
  }

  /** Text that needed no reading, said elsewhere. */
  passed(): void {
    this.#fence.leaveQuote();
  }

  note(logprobs: Logprobs, text: string, position: number): void {
    const isAligned = logprobs.reduce((length, { token }) => length + token.length, 0) === text.length;
    let at = position;
    for (const record of logprobs) {
      // A token without text goes with the text before it.
      this.#records.push({ record, at: Math.max(position, Math.min(at, position + text.length - 1)) });
      if (isAligned) at += record.token.length;
    }
  }

  /** Says text that stands at a position of the stream. */
  say(type: TextType, text: string, position: number): void {
    if (type !== this.#type) {
      this.#flush();
      this.#type = type;
    }
    if (this.#records.length > 0) this.#claim(position, position + text.length);
    this.#text += text;
    this.#fence.push(text);
  }

  call(id: string, name: string): void {
    this.#flush();
    const call = this.#callCount++;
    this.#events.push({ type: 'tool-call-start', choice: this.#choice, call, id, name });
  }

  argue(json: string): void {
    if (json === '') return;
    const call = this.#callCount - 1;
    const last = this.#events.at(-1);
    if (last?.type === 'tool-call-delta' && last.call === call) {
      this.#events[this.#events.length - 1] = { ...last, arguments: last.arguments + json };
    } else this.#events.push({ type: 'tool-call-delta', choice: this.#choice, call, arguments: json });
  }

  flag(event: Extract<StreamEvent, { type: 'anomaly' }>): void {
    this.#flush();
    this.#events.push(event);
  }

  /** Markup begins or ends: a fence in the text before it has nothing to do with the text behind it. */
  turn(): void {
    this.#flush();
    this.#fence.reset();
  }

  /** Records without text, such as those of half a character. */
  sayRecords(type: TextType): void {
    this.say(type, '', Number.POSITIVE_INFINITY);
    this.#flush();
  }

  /** Says as text what was said as reasoning before. */
  repeat(text: string): void {
    this.#flush();
    this.#events.push({ type: 'text-delta', choice: this.#choice, text, isRepeated: true });
  }

  /** What was said since the last time. */
  drain(): readonly StreamEvent[] {
    this.#flush();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** The records of a stretch of text; those before it were of markup and go nowhere. */
  #claim(from: number, to: number): void {
    let count = 0;
    for (const { record, at } of this.#records) {
      if (at >= to && to !== Number.POSITIVE_INFINITY) break;
      count++;
      if (at >= from || to === Number.POSITIVE_INFINITY) this.#said.push(record);
    }
    this.#records.splice(0, count);
  }

  #flush(): void {
    if (this.#text === '' && this.#said.length === 0) return;
    const event = { type: this.#type, choice: this.#choice, text: this.#text };
    this.#events.push(this.#said.length > 0 ? { ...event, logprobs: this.#said } : event);
    this.#text = '';
    this.#said = [];
  }
}
