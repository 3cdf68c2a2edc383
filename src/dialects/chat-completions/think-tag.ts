/** What a piece of text turned out to be. */
export type ThinkTagSink = (type: 'text-delta' | 'reasoning-delta', text: string) => void;

/**
 * Tells reasoning from text where a provider leaves `<think>…</think>` at the start of its text. Only a tag that comes
 * first counts, and the blanks after either tag belong to nobody.
 */
export interface ThinkTag {
  /** Text needs no more looking at: every later piece is plain. */
  readonly isPlain: boolean;
  push(text: string, sink: ThinkTagSink): void;
  /** The provider marks reasoning itself, so a tag in the text would be the text's own. */
  standDown(sink: ThinkTagSink): void;
  /** Lets go of what was held back while it could still become a tag. */
  end(sink: ThinkTagSink): void;
}

const open = '<think>';
const close = '</think>';

/** Blanks before a tag; a model that goes on with blanks is not about to think, and its reader is waiting. */
const blanksMax = 64;

export function thinkTag(): ThinkTag {
  let state: 'undecided' | 'reasoning-begins' | 'reasoning' | 'text-begins' | 'plain' = 'undecided';
  let held = '';

  const read = (text: string, sink: ThinkTagSink): void => {
    switch (state) {
      case 'undecided': {
        const start = text.trimStart();
        if (text.length - start.length > blanksMax) become('plain', text, sink);
        else if (start.length < open.length && open.startsWith(start)) held = text;
        else if (start.startsWith(open)) become('reasoning-begins', start.slice(open.length), sink);
        else become('plain', text, sink);
        return;
      }
      case 'reasoning-begins': {
        const start = text.trimStart();
        if (start !== '') become('reasoning', start, sink);
        return;
      }
      case 'reasoning': {
        const end = text.indexOf(close);
        if (end >= 0) {
          emit('reasoning-delta', text.slice(0, end), sink);
          become('text-begins', text.slice(end + close.length), sink);
          return;
        }
        const kept = tagBeginning(text);
        held = text.slice(text.length - kept);
        emit('reasoning-delta', text.slice(0, text.length - kept), sink);
        return;
      }
      case 'text-begins': {
        const start = text.trimStart();
        if (start !== '') become('plain', start, sink);
        return;
      }
      case 'plain':
        emit('text-delta', text, sink);
        return;
      default:
        state satisfies never;
    }
  };
  const become = (next: typeof state, text: string, sink: ThinkTagSink): void => {
    state = next;
    read(text, sink);
  };
  const release = (): string => {
    const text = held;
    held = '';
    return text;
  };

  return {
    get isPlain() {
      return state === 'plain';
    },
    push: (text, sink) => read(release() + text, sink),
    standDown(sink) {
      if (state === 'undecided') become('plain', release(), sink);
    },
    end(sink) {
      emit(state === 'reasoning' ? 'reasoning-delta' : 'text-delta', release(), sink);
    },
  };
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
