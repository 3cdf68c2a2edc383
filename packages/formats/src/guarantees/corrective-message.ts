import type { AssistantPart } from '../chat/message.ts';
import type { StreamEvent } from '../chat/stream-event.ts';

/** Maximum characters of an answer that are sent to the model again. */
const charactersMax = 256 * 1024;

/** Records the model's output in one choice, to send it back in a re-prompt. */
export class OutputRecorder {
  readonly #parts: MessagePart[] = [];
  #characters = 0;

  record(event: StreamEvent): void {
    switch (event.type) {
      case 'text-delta':
        if (!event.isRepeated) this.#add('text', event.text);
        break;
      case 'reasoning-delta':
        this.#add('reasoning', event.text);
        break;
      case 'reasoning-signature':
        this.#last('reasoning').signature = event.signature;
        break;
      case 'redacted-reasoning':
        this.#parts.push({ type: 'redacted-reasoning', pieces: [event.data] });
        break;
      case 'tool-call-start':
        this.#parts.push({ ...event, type: 'tool-call', pieces: [] });
        break;
      case 'tool-call-delta':
        this.#addArguments(event.call, event.arguments);
        break;
      default:
    }
  }

  parts(): readonly AssistantPart[] {
    return this.#parts.map(({ type, pieces, id = '', name = '', signature }) => {
      const text = pieces.join('');
      if (type === 'tool-call') return { type, id, name, arguments: text, signature };
      if (type === 'redacted-reasoning') return { type, data: text };
      return type === 'reasoning' ? { type, text, signature } : { type, text };
    });
  }

  #add(type: 'text' | 'reasoning', text: string): void {
    if (text !== '') this.#put(this.#last(type), text);
  }

  #addArguments(call: number, text: string): void {
    const part = this.#parts.findLast((each) => each.call === call);
    if (part) this.#put(part, text);
  }

  #put({ pieces }: MessagePart, text: string): void {
    const room = Math.max(0, charactersMax - this.#characters);
    const kept = text.slice(0, room);
    this.#characters += kept.length;
    if (kept !== '') pieces.push(kept);
  }

  /** Returns the last part if it has this type, or a new part. */
  #last(type: 'text' | 'reasoning'): MessagePart {
    const last = this.#parts.at(-1);
    if (last?.type === type && last.signature === undefined) return last;
    const part: MessagePart = { type, pieces: [] };
    this.#parts.push(part);
    return part;
  }
}

interface MessagePart {
  readonly type: 'text' | 'reasoning' | 'redacted-reasoning' | 'tool-call';
  readonly pieces: string[];
  readonly call?: number;
  readonly id?: string;
  readonly name?: string;
  signature?: string | undefined;
}
