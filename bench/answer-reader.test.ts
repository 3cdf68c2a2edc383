import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { answerEnd, answerHead, closingFrames, contentFrame, httpChunk } from './answer-bytes.ts';
import { AnswerReader } from './answer-reader.ts';

const whole =
  answerHead + httpChunk(contentFrame('paced', 0)) + httpChunk(`data: x\n\n${closingFrames('paced')}`) + answerEnd;

test('a complete answer ends with its last byte and has no fault, however its bytes are split', () => {
  assert(
    property(array(integer({ min: 1, max: whole.length - 1 })), (cuts) => {
      const reader = new AnswerReader();
      const ends = pieces(whole, cuts).map((piece) => reader.push(Buffer.from(piece, 'latin1')));
      expect(ends.indexOf(true)).toBe(ends.length - 1);
      expect(reader.fault).toBeUndefined();
    }),
  );
});

test('an answer without its last byte has not ended', () => {
  expect(new AnswerReader().push(Buffer.from(whole.slice(0, -1), 'latin1'))).toBe(false);
});

test('an answer that ends without the end mark has a fault', () => {
  const reader = new AnswerReader();
  expect(reader.push(Buffer.from(answerHead + httpChunk(contentFrame('paced', 0)) + answerEnd, 'latin1'))).toBe(true);
  expect(reader.fault).toContain('without [DONE]');
});

test('an answer with another status has a fault with the end of its body', () => {
  const reader = new AnswerReader();
  const answer = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\nConnection: close\r\n\r\noops';
  expect(reader.push(Buffer.from(answer, 'latin1'))).toBe(true);
  expect(reader.keepAlive).toBe(false);
  expect(reader.fault).toBe('status 502: …oops');
});

test('the head alone does not begin an answer', () => {
  const reader = new AnswerReader();
  reader.push(Buffer.from(answerHead, 'latin1'));
  expect(reader.begun).toBe(false);
  reader.push(Buffer.from(httpChunk('data'), 'latin1'));
  expect(reader.begun).toBe(true);
});

function pieces(text: string, cuts: readonly number[]): string[] {
  const edges = [...new Set([0, ...cuts, text.length])].sort((a, b) => a - b);
  return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
}
