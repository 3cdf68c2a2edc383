import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyBudget, BodyCopy } from './body-copy.ts';
import { decodeBodies, encodeBodies } from './body-text.ts';

const largeBudget = () => new BodyBudget(() => 1e9);

test('an answer is copied as the bytes that were sent, however it is split', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => [text, 'utf8'] as const),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => [Buffer.from(bytes), 'utf8'] as const),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => [Buffer.from(bytes).toString('latin1'), 'latin1'] as const),
  );
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.array(piece, { maxLength: 8 }),
      fc.integer({ min: 1, max: 60 }),
      (came, pieces, bytesMax) => {
        const budget = largeBudget();
        const copy = new BodyCopy(budget, bytesMax);
        copy.received(Buffer.from(came));
        for (const [what, encoding] of pieces) copy.sent(what, encoding);
        const went = Buffer.concat(
          pieces.map(([what, encoding]) => (typeof what === 'string' ? Buffer.from(what, encoding) : what)),
        );
        const copied = copy.take();
        const { request, answer } = decodeBodies(encodeBodies(copied!));
        for (const [body, whole] of [
          [request, Buffer.from(came)],
          [answer, went],
        ] as const) {
          expect(body?.length ?? 0).toBe(whole.length);
          const kept = body?.bytes ?? Buffer.alloc(0);
          expect(whole.subarray(0, kept.length).equals(kept)).toBe(true);
          // A character that does not fit completely is dropped; all other bytes up to the limit are kept.
          expect(kept.length).toBeLessThanOrEqual(bytesMax);
          expect(kept.length).toBeGreaterThan(Math.min(whole.length, bytesMax) - 4);
          if (whole.length <= bytesMax) expect(kept.length).toBe(whole.length);
        }
        expect(budget.reserved).toBe(0);
      },
    ),
  );
});

test('a truncated body is text up to its last whole character', () => {
  const copy = new BodyCopy(largeBudget(), 4);
  copy.sent('aé世', 'utf8');
  const { answer, request } = decodeBodies(encodeBodies(copy.take()!));
  expect(answer).toMatchObject({ text: 'aé', length: 6 });
  expect(request).toBeUndefined();
});

test('bodies that exceed the memory budget are dropped completely and release their share', () => {
  const budget = new BodyBudget(() => 10);
  const [first, second] = [new BodyCopy(budget, 100), new BodyCopy(budget, 100)];
  first.received(Buffer.from('123456'));
  second.received(Buffer.from('123'));
  second.sent('4567', 'utf8');
  expect(second.take()).toBeUndefined();
  first.sent('7890', 'utf8');
  expect(first.take()).toMatchObject({ request: { length: 6 }, answer: { length: 4 } });
  expect(budget.reserved).toBe(0);
});
