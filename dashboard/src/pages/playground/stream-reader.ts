import { EventStreamReader } from '../../../../src/core/event-stream-reader.ts';
import { emptyAnswer, type PlaygroundAnswer } from './answer.ts';
import type { Surface } from './settings.ts';
import { surfaces } from './surfaces.ts';

/** The raw text up to a blank line, and the time of its last byte. */
export interface Frame {
  readonly text: string;
  readonly atMs: number;
}

export interface StreamReader {
  push(bytes: Uint8Array, atMs: number): void;
  /** The connection has ended: text without a final blank line becomes the last frame. */
  end(atMs: number): void;
  readonly answer: PlaygroundAnswer;
  readonly frames: readonly Frame[];
}

const blankLine = /\r\n\r\n|\n\n|\r\r/;

/** Reads a stream of any surface into an answer and its frames. Chunk boundaries make no difference. */
export function streamReader(surface: Surface): StreamReader {
  const { read } = surfaces[surface];
  const decoder = new TextDecoder();
  const frames: Frame[] = [];
  let answer = emptyAnswer;
  let buffer = '';
  const events = new EventStreamReader((data) => {
    answer = safely(read, answer, data);
  });

  function take(text: string, atMs: number): void {
    events.push(text);
    buffer += text;
    for (let end = blankLine.exec(buffer); end; end = blankLine.exec(buffer)) {
      frames.push({ text: buffer.slice(0, end.index), atMs });
      buffer = buffer.slice(end.index + end[0].length);
    }
  }

  return {
    push: (bytes, atMs) => take(decoder.decode(bytes, { stream: true }), atMs),
    end(atMs) {
      take(decoder.decode(), atMs);
      if (buffer !== '') frames.push({ text: buffer, atMs });
      buffer = '';
    },
    get answer() {
      return answer;
    },
    get frames() {
      return frames;
    },
  };
}

function safely(
  read: (answer: PlaygroundAnswer, data: string) => PlaygroundAnswer,
  answer: PlaygroundAnswer,
  data: string,
): PlaygroundAnswer {
  try {
    return read(answer, data);
  } catch {
    return { ...answer, error: { code: 'unreadable', message: data.slice(0, 200) } };
  }
}
