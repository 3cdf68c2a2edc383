import { tooLong } from './sse.ts';

/** The text of an event stream in, its frames out, each exactly as it came, up to and with its blank line. */
export interface SseFrames {
  push(text: string): readonly string[];
  /** What a source left without its blank line; empty when there is nothing. */
  end(): string;
}

/** A frame begins behind a line's end, so a line's end alone is a whole frame with nothing in it. */
const frameStart = '\n';

/** So much of what came before can belong to the two line ends that close a frame. */
const seamMax = 3;

/** Throws `upstream-failed` as soon as a frame is longer than `bufferMax` characters, finished or not. */
export function sseFrames(options: { readonly bufferMax: number }): SseFrames {
  const { bufferMax } = options;
  // In pieces, since joining them at each read would make a long frame cost the square of its length.
  let held: string[] = [];
  let heldCharacters = 0;
  let seam = frameStart;

  const hold = (text: string): void => {
    if (text === '') return;
    held.push(text);
    heldCharacters += text.length;
    seam = (seam + text.slice(-seamMax)).slice(-seamMax);
    if (heldCharacters > bufferMax) throw tooLong(bufferMax);
  };
  const release = (text: string): string => {
    const frame = held.length === 0 ? text : held.join('') + text;
    held = [];
    heldCharacters = 0;
    seam = frameStart;
    if (frame.length > bufferMax) throw tooLong(bufferMax);
    return frame;
  };

  return {
    push(text) {
      const frames: string[] = [];
      const before = seam.length;
      let from = 0;
      for (const end of frameEnds(seam + text)) {
        frames.push(release(text.slice(from, end - before)));
        from = end - before;
      }
      hold(text.slice(from));
      return frames;
    },
    end: () => release(''),
  };
}

/** Two line ends in a row. A CR that is the last character so far may be half of a CRLF. */
const blankLine = /(?:\r\n|\n|\r(?!\n|$))(?:\r\n|\n|\r(?!\n|$))/g;

/** The last character of a frame ends a line, so the search for the next frame's end begins with it. */
function* frameEnds(text: string): Generator<number> {
  const isPlain = !text.includes('\r');
  for (let from = 0; ; ) {
    const end = isPlain ? plainFrameEnd(text, from) : frameEnd(text, from);
    if (end < 0) return;
    yield end;
    from = end - 1;
  }
}

function plainFrameEnd(text: string, from: number): number {
  const at = text.indexOf('\n\n', from);
  return at < 0 ? -1 : at + 2;
}

function frameEnd(text: string, from: number): number {
  blankLine.lastIndex = from;
  return blankLine.exec(text) ? blankLine.lastIndex : -1;
}
