import { setImmediate as turn } from 'node:timers/promises';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import { brokenOff, complete, type Fault, failed } from './fault.ts';
import { end, firstWord, play, type Step, splitAnswer, answerBytes } from './replies.ts';

const mebibyte = 1024 * 1024;

/** An answer with these bytes between its first word and the rest. */
function withMiddle(kind: ProviderKind, ...middle: readonly Buffer[]): readonly Step[] {
  const { words, finish, end: mark } = splitAnswer(kind);
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

function answerOf(kind: ProviderKind, text: string): Buffer {
  const { begin, words, finish, end: mark } = kind.answer([text], { prompt: 7, completion: 2 });
  return Buffer.concat([begin, ...words, finish, mark]);
}

/** Replaces the mark in a frame with two bytes that never occur in UTF-8. */
function withBadBytes(frames: Buffer, mark: string): Buffer {
  const at = frames.indexOf(mark);
  return Buffer.concat([frames.subarray(0, at), Buffer.of(0xff, 0xc0), frames.subarray(at + mark.length)]);
}

function withLineEnds(frames: Buffer, lineEnd: string): Buffer {
  return Buffer.from(frames.toString().replaceAll('\n', lineEnd));
}

const manyCharacters = 'Grüße 你好 😀!';

/** Answers that deviate from their protocol. */
export const streamFaults: readonly Fault[] = [
  {
    name: 'sends everything in one piece',
    reply: (kind) => play(kind, [answerBytes(kind), end]),
    expected: () => complete,
  },
  {
    name: 'splits its characters between two reads',
    reply: (kind) => play(kind, [byteByByte(answerOf(kind, manyCharacters)), end]),
    expected: () => ({ ...complete, text: manyCharacters }),
  },
  {
    name: 'ends in the middle of a character',
    reply: (kind) => play(kind, [firstWord(kind), Buffer.from('data: {"x":"你').subarray(0, -1), end]),
    expected: () => brokenOff,
  },
  {
    name: 'sends bytes that are not UTF-8',
    reply: (kind) => play(kind, [withBadBytes(answerOf(kind, 'aXYZb'), 'XYZ'), end]),
    expected: () => ({ ...complete, text: 'a\ufffd\ufffdb' }),
  },
  {
    name: 'ends its lines with CR and LF',
    reply: (kind) => play(kind, [withLineEnds(answerBytes(kind), '\r\n'), end]),
    expected: () => complete,
  },
  {
    name: 'ends its lines with CR',
    reply: (kind) => play(kind, [withLineEnds(answerBytes(kind), '\r'), end]),
    expected: () => complete,
  },
  {
    name: 'uses every feature of the event-stream format',
    reply: (kind) => {
      const plain = answerBytes(kind).toString().replaceAll('data: ', 'data:');
      return play(kind, [`\ufeff: comment\n\nid: 7\nretry: 5\nunknown: x\n${plain}\n\n: comment\n\n`, end]);
    },
    expected: () => complete,
  },
  {
    name: 'sends two malformed frames',
    reply: (kind) => play(kind, withMiddle(kind, kind.malformedEvent, kind.malformedEvent)),
    expected: () => complete,
  },
  {
    name: 'sends mostly malformed frames',
    reply: (kind) => play(kind, withMiddle(kind, ...Array.from({ length: 11 }, () => kind.malformedEvent))),
    expected: () => brokenOff,
  },
  {
    name: 'has a frame of a megabyte',
    reply: (kind) => play(kind, [answerOf(kind, 'x'.repeat(mebibyte)), end]),
    expected: () => ({ ...complete, text: 'x'.repeat(mebibyte) }),
  },
  {
    name: 'has a frame without end',
    isLarge: true,
    reply: (kind) => play(kind, [firstWord(kind), endlessFrame(splitAnswer(kind).words[1] ?? Buffer.alloc(0))]),
    expected: () => brokenOff,
  },
  {
    name: 'sends more after the end of its answer',
    reply: (kind) => play(kind, [answerBytes(kind), kind.malformedEvent, end]),
    expected: () => complete,
  },
  {
    name: 'omits the end marker',
    reply: (kind) => {
      const { begin, words, finish } = splitAnswer(kind);
      return play(kind, [begin, ...words, finish, end]);
    },
    expected: () => ({ ...complete, usage: { promptTokens: 7, completionTokens: 2 } }),
  },
  {
    name: 'answers without any text',
    reply: (kind) => {
      const { begin, finish, end: mark } = splitAnswer(kind);
      return play(kind, [begin, finish, mark, end]);
    },
    expected: () => ({ ...complete, text: '' }),
  },
  {
    name: 'sends an error instead of an answer',
    reply: (kind) => play(kind, [kind.fail('overloaded'), end]),
    expected: () => failed,
  },
  {
    name: 'sends an error after the beginning of an answer',
    reply: (kind) => play(kind, [splitAnswer(kind).begin, kind.fail('overloaded'), end]),
    expected: () => failed,
  },
  {
    name: 'sends a rejection instead of an answer',
    reply: (kind) => play(kind, [kind.fail('invalid'), end]),
    expected: ({ refusal: { code } }) => ({ ending: 'upstream-rejected', text: '', code }),
  },
  {
    name: 'sends an error in the middle of its answer',
    reply: (kind) => play(kind, [firstWord(kind), kind.fail('overloaded'), end]),
    expected: () => brokenOff,
  },
  {
    name: 'sends an error in the middle of its answer and continues',
    reply: (kind) => play(kind, withMiddle(kind, kind.fail('overloaded'))),
    expected: () => brokenOff,
  },
  {
    name: 'sends an error and its answer in one piece',
    reply: (kind) => play(kind, [Buffer.concat([firstWord(kind), kind.fail('overloaded')]), end]),
    expected: () => brokenOff,
  },
  {
    name: 'ends with an error outside of a frame',
    reply: (kind) => play(kind, [firstWord(kind), JSON.stringify({ error: { message: 'broken', code: 500 } }), end]),
    expected: () => brokenOff,
  },
];

/** The beginning of a frame whose text never ends. The gateway stops reading long before these 40 MiB. */
function endlessFrame(frame: Buffer): Step {
  const piece = Buffer.alloc(mebibyte, 'y');
  return async (writer) => {
    await writer.body(frame.subarray(0, frame.indexOf('lo')));
    for (let count = 0; count < 40 && !writer.isClosed; count += 1) await writer.body(piece);
  };
}
