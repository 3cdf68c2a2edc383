/** What a piece of text turned out to be. */
export type ThinkTagSink = (type: 'text-delta' | 'reasoning-delta', text: string) => void;

const open = '<think>';
const close = '</think>';

/** Blanks before a tag; a model that goes on with blanks is not about to think, and its reader is waiting. */
const blanksMax = 64;

/**
 * Tells reasoning from text where a provider leaves `<think>…</think>` at the start of its text. Only a tag that comes
 * first counts, and the blanks after either tag belong to nobody.
 */
export class ThinkTag {
  #state: 'undecided' | 'reasoning-begins' | 'reasoning' | 'text-begins' | 'plain' = 'undecided';
  #held = '';

  /** Text needs no more looking at: every later piece is plain. */
  get isPlain(): boolean {
    return this.#state === 'plain';
  }

  push(text: string, sink: ThinkTagSink): void {
    this.#read(this.#release() + text, sink);
  }

  /** The provider marks reasoning itself, or has gone on to something else: a tag from now on is the text's own. */
  standDown(sink: ThinkTagSink): void {
    if (this.#state === 'undecided') this.#become('plain', this.#release(), sink);
  }

  /** Lets go of what was held back while it could still become a tag. */
  end(sink: ThinkTagSink): void {
    emit(this.#state === 'reasoning' ? 'reasoning-delta' : 'text-delta', this.#release(), sink);
  }

  #read(text: string, sink: ThinkTagSink): void {
    switch (this.#state) {
      case 'undecided':
        return this.#readUndecided(text, sink);
      case 'reasoning-begins':
        return this.#readBeginning('reasoning', text, sink);
      case 'reasoning':
        return this.#readReasoning(text, sink);
      case 'text-begins':
        return this.#readBeginning('plain', text, sink);
      case 'plain':
        return emit('text-delta', text, sink);
      default:
        return this.#state satisfies never;
    }
  }

  #readUndecided(text: string, sink: ThinkTagSink): void {
    const start = text.trimStart();
    if (text.length - start.length > blanksMax) this.#become('plain', text, sink);
    else if (start.startsWith(open)) this.#become('reasoning-begins', start.slice(open.length), sink);
    else if (open.startsWith(start)) this.#held = text;
    else this.#become('plain', text, sink);
  }

  #readBeginning(next: 'reasoning' | 'plain', text: string, sink: ThinkTagSink): void {
    const start = text.trimStart();
    if (start !== '') this.#become(next, start, sink);
  }

  #readReasoning(text: string, sink: ThinkTagSink): void {
    const end = text.indexOf(close);
    const kept = end < 0 ? tagBeginning(text) : 0;
    emit('reasoning-delta', text.slice(0, end < 0 ? text.length - kept : end), sink);
    if (end < 0) this.#held = text.slice(text.length - kept);
    else this.#become('text-begins', text.slice(end + close.length), sink);
  }

  #become(next: 'reasoning-begins' | 'reasoning' | 'text-begins' | 'plain', text: string, sink: ThinkTagSink): void {
    this.#state = next;
    this.#read(text, sink);
  }

  #release(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

function emit(type: 'text-delta' | 'reasoning-delta', text: string, sink: ThinkTagSink): void {
  if (text !== '') sink(type, text);
}

/** How much of the end of the text may be the beginning of the closing tag. */
function tagBeginning(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(close.slice(0, length))) return length;
  }
  return 0;
}
