import { setImmediate as turn } from 'node:timers/promises';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import { brokenOff, complete, type Fault, failed } from './fault.ts';
import { end, firstWord, play, type Step, speech, wholeSpeech } from './replies.ts';

const mebibyte = 1024 * 1024;

/** Bytes of an answer's middle between its first word and the rest of it. */
function amid(kind: ProviderKind, ...middle: readonly Buffer[]): readonly Step[] {
  const { words, finish, end: mark } = speech(kind);
  return [firstWord(kind), ...middle, ...words.slice(1), finish, mark, end];
}

function byteByByte(bytes: Buffer): Step {
  return async (writer) => {
    for (const byte of bytes) {
      await writer.body(Buffer.of(byte));
      await turn();
    }
  };
}

function saying(kind: ProviderKind, text: string): Buffer {
  const { begin, words, finish, end: mark } = kind.say([text], { prompt: 7, completion: 2 });
  return Buffer.concat([begin, ...words, finish, mark]);
}

/** The bytes of a frame with two of them replaced, which no UTF-8 has. */
function withBadBytes(frames: Buffer, mark: string): Buffer {
  const at = frames.indexOf(mark);
  return Buffer.concat([frames.subarray(0, at), Buffer.of(0xff, 0xc0), frames.subarray(at + mark.length)]);
}

function withLineEnds(frames: Buffer, lineEnd: string): Buffer {
  return Buffer.from(frames.toString().replaceAll('\n', lineEnd));
}

const manyCharacters = 'Grüße 你好 😀!';

/** Answers that depart from what their protocol says. */
export const streamFaults: readonly Fault[] = [
  {
    name: 'says everything in one piece',
    reply: (kind) => play(kind, [wholeSpeech(kind), end]),
    expected: () => complete,
  },
  {
    name: 'cuts its characters in two between two reads',
    reply: (kind) => play(kind, [byteByByte(saying(kind, manyCharacters)), end]),
    expected: () => ({ ...complete, text: manyCharacters }),
  },
  {
    name: 'ends in the middle of a character',
    reply: (kind) => play(kind, [firstWord(kind), Buffer.from('data: {"x":"你').subarray(0, -1), end]),
    expected: () => brokenOff,
  },
  {
    name: 'says bytes that are no UTF-8',
    reply: (kind) => play(kind, [withBadBytes(saying(kind, 'aXYZb'), 'XYZ'), end]),
    expected: () => ({ ...complete, text: 'a\ufffd\ufffdb' }),
  },
  {
    name: 'ends its lines with CR and LF',
    reply: (kind) => play(kind, [withLineEnds(wholeSpeech(kind), '\r\n'), end]),
    expected: () => complete,
  },
  {
    name: 'ends its lines with CR',
    reply: (kind) => play(kind, [withLineEnds(wholeSpeech(kind), '\r'), end]),
    expected: () => complete,
  },
  {
    name: 'writes its events in every way that is allowed',
    reply: (kind) => {
      const plain = wholeSpeech(kind).toString().replaceAll('data: ', 'data:');
      return play(kind, [`\ufeff: comment\n\nid: 7\nretry: 5\nunknown: x\n${plain}\n\n: comment\n\n`, end]);
    },
    expected: () => complete,
  },
  {
    name: 'stutters',
    reply: (kind) => play(kind, amid(kind, kind.garbage, kind.garbage)),
    expected: () => complete,
  },
  {
    name: 'says mostly nonsense',
    reply: (kind) => play(kind, amid(kind, ...Array.from({ length: 11 }, () => kind.garbage))),
    expected: () => brokenOff,
  },
  {
    name: 'has a frame of a megabyte',
    reply: (kind) => play(kind, [saying(kind, 'x'.repeat(mebibyte)), end]),
    expected: () => ({ ...complete, text: 'x'.repeat(mebibyte) }),
  },
  {
    name: 'has a frame without end',
    isLarge: true,
    reply: (kind) => play(kind, [firstWord(kind), endlessFrame(speech(kind).words[1] ?? Buffer.alloc(0))]),
    expected: () => brokenOff,
  },
  {
    name: 'goes on behind the end of its answer',
    reply: (kind) => play(kind, [wholeSpeech(kind), kind.garbage, end]),
    expected: () => complete,
  },
  {
    name: 'leaves out the mark of the end',
    reply: (kind) => {
      const { begin, words, finish } = speech(kind);
      return play(kind, [begin, ...words, finish, end]);
    },
    expected: () => ({ ...complete, usage: { promptTokens: 7, completionTokens: 2 } }),
  },
  {
    name: 'answers with no word at all',
    reply: (kind) => {
      const { begin, finish, end: mark } = speech(kind);
      return play(kind, [begin, finish, mark, end]);
    },
    expected: () => ({ ...complete, text: '' }),
  },
  {
    name: 'says an error in place of an answer',
    reply: (kind) => play(kind, [kind.fail('overloaded'), end]),
    expected: () => failed,
  },
  {
    name: 'says an error behind the beginning of an answer',
    reply: (kind) => play(kind, [speech(kind).begin, kind.fail('overloaded'), end]),
    expected: () => failed,
  },
  {
    name: 'refuses in place of an answer',
    reply: (kind) => play(kind, [kind.fail('invalid'), end]),
    expected: ({ refusal: { code } }) => ({ ending: 'upstream-rejected', text: '', code }),
  },
  {
    name: 'says an error in the middle of its answer',
    reply: (kind) => play(kind, [firstWord(kind), kind.fail('overloaded'), end]),
    expected: () => brokenOff,
  },
  {
    name: 'says an error in the middle of its answer and goes on',
    reply: (kind) => play(kind, amid(kind, kind.fail('overloaded'))),
    expected: () => brokenOff,
  },
  {
    name: 'says an error and its answer in one piece',
    reply: (kind) => play(kind, [Buffer.concat([firstWord(kind), kind.fail('overloaded')]), end]),
    expected: () => brokenOff,
  },
  {
    name: 'ends with an error that is no frame',
    reply: (kind) => play(kind, [firstWord(kind), JSON.stringify({ error: { message: 'broken', code: 500 } }), end]),
    expected: () => brokenOff,
  },
];

/** The beginning of a frame whose text never ends, though it is given up long before this does. */
function endlessFrame(frame: Buffer): Step {
  const piece = Buffer.alloc(mebibyte, 'y');
  return async (writer) => {
    await writer.body(frame.subarray(0, frame.indexOf('lo')));
    for (let count = 0; count < 40 && !writer.isClosed; count += 1) await writer.body(piece);
  };
}
