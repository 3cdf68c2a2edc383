import { tooLong } from './sse.ts';

/** Splits the text of an event stream into frames. Each frame is unchanged and includes its blank line. */
export interface SseFrames {
  push(text: string): readonly string[];
  /** The text after the last blank line; empty if there is none. */
  end(): string;
}

/** A frame begins after a line end, so a line end alone is a complete, empty frame. */
const frameStart = '\n';

/** At most this many earlier characters can belong to the two line ends that close a frame. */
const seamMax = 3;

/** Throws `upstream-failed` as soon as a frame is longer than `bufferMax` characters, complete or not. */
export function sseFrames(options: { readonly bufferMax: number }): SseFrames {
  const { bufferMax } = options;
  // Kept in pieces: joining them at each read would take quadratic time for a long frame.
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

/** Two line ends in a row. A CR at the end of the text may be half of a CRLF. */
const blankLine = /(?:\r\n|\n|\r(?!\n|$))(?:\r\n|\n|\r(?!\n|$))/g;

/** The last character of a frame is a line end, so the search for the next frame's end begins with it. */
function* frameEnds(text: string): Generator<number> {
  const hasOnlyLineFeeds = !text.includes('\r');
  for (let from = 0; ; ) {
    const end = hasOnlyLineFeeds ? lineFeedFrameEnd(text, from) : frameEnd(text, from);
    if (end < 0) return;
    yield end;
    from = end - 1;
  }
}

function lineFeedFrameEnd(text: string, from: number): number {
  const at = text.indexOf('\n\n', from);
  return at < 0 ? -1 : at + 2;
}

function frameEnd(text: string, from: number): number {
  blankLine.lastIndex = from;
  return blankLine.exec(text) ? blankLine.lastIndex : -1;
}
