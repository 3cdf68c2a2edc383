import { EventStreamReader, type OnEvent } from './event-stream-reader.ts';
import type { GatewayError } from './gateway-error.ts';
import { upstreamFailed } from './provider-failure.ts';

const none: readonly string[] = [];

/**
 * Returns the data of each complete event, in order. Names, ids and comments are skipped. Throws `upstream-failed` as
 * soon as one event is longer than `bufferMax` characters, complete or not.
 */
export function sseReader({ bufferMax }: { readonly bufferMax: number }) {
  let completed: string[] = [];
  const reader = eventReader(bufferMax, (data) => completed.push(data));
  const push = (text: string): readonly string[] => {
    reader.push(text);
    if (completed.length === 0) return none;
    const data = completed;
    completed = [];
    return data;
  };
  // At the end, the last event may lack its blank line.
  return { push, end: () => push('\n\n') };
}

/** Reads names and data of events. Throws `upstream-failed` as soon as an event is longer than `charactersMax`. */
export function eventReader(charactersMax: number, onEvent: OnEvent): EventStreamReader {
  const onTooLong = (): never => {
    throw tooLong(charactersMax);
  };
  return new EventStreamReader(onEvent, { charactersMax, onTooLong });
}

function tooLong(bufferMax: number): GatewayError {
  return upstreamFailed(`An event of the provider's stream is longer than ${bufferMax} characters.`);
}

/** A frame begins after a line end, so a line end alone is a complete, empty frame. */
const frameStart = '\n';

/** At most this many earlier characters can belong to the two line ends that close a frame. */
const seamMax = 3;

/**
 * Splits the text of an event stream into frames. Each frame is unchanged and includes its blank line. Throws
 * `upstream-failed` as soon as a frame is longer than `bufferMax` characters, complete or not.
 */
export function sseFrames({ bufferMax }: { readonly bufferMax: number }) {
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
    push(text: string): readonly string[] {
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
    /** The text after the last blank line; empty if there is none. */
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
