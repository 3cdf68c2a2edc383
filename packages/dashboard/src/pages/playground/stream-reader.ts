import { sseFrames, sseReader } from 'chat-formats/sse.ts';
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

/** The gateway limits its events. */
const unlimited = { bufferMax: Number.POSITIVE_INFINITY };
const lastLineEnds = /[\r\n]+$/;

/** Reads a stream of any surface into an answer and its frames. Chunk boundaries make no difference. */
export function streamReader(surface: Surface): StreamReader {
  const { read } = surfaces[surface];
  const decoder = new TextDecoder();
  const splitter = sseFrames(unlimited);
  const events = sseReader(unlimited);
  const frames: Frame[] = [];
  let answer = emptyAnswer;

  function take(frame: string, atMs: number): void {
    for (const data of events.push(frame)) answer = safely(read, answer, data);
    const text = frame.replace(lastLineEnds, '');
    if (text !== '') frames.push({ text, atMs });
  }
  const push = (text: string, atMs: number): void => {
    for (const frame of splitter.push(text)) take(frame, atMs);
  };

  return {
    push: (bytes, atMs) => push(decoder.decode(bytes, { stream: true }), atMs),
    end(atMs) {
      push(decoder.decode(), atMs);
      take(splitter.end(), atMs);
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
