import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalText } from 'chat-gateway-figures/money.ts';
import { amountLeft, changeOf, firstShown, labelled, pointsMin, stacked } from './chart-figures.ts';

describe('the change against the period before', () => {
  test.each([
    [12.4, 10, { kind: 'more', share: expect.closeTo(0.24) }],
    ['5.00', '10.00', { kind: 'less', share: 0.5 }],
    [3, 0, { kind: 'new' }],
    ['0.000000001', '0.00', { kind: 'new' }],
    [0, 0, { kind: 'none' }],
    [0, 8, { kind: 'less', share: 1 }],
    [10_001, 10_000, { kind: 'same' }],
    [null, 8, { kind: 'none' }],
    [8, null, { kind: 'none' }],
    // A margin can be negative. A share of it has no meaning.
    ['5.00', '-1.00', { kind: 'none' }],
  ] as const)('from %s, before %s', (now, before, change) => {
    expect(changeOf(now, before)).toEqual(change);
  });

  test('never divides by zero, and gives back the figure', () => {
    const figure = fc.bigInt({ min: 0n, max: 10n ** 21n }).map(decimalText);
    fc.assert(
      fc.property(figure, figure, (now, before) => {
        const change = changeOf(now, before);
        if (!('share' in change)) return;
        expect(Number.isFinite(change.share)).toBe(true);
        expect(change.share).toBeGreaterThan(0);
        const back = Number(before) * (change.kind === 'more' ? 1 + change.share : 1 - change.share);
        expect(Math.abs(back - Number(now))).toBeLessThanOrEqual(1e-6 * Math.max(Number(now), Number(before)));
      }),
    );
  });
});

describe('the first point of a chart', () => {
  const values = fc.array(fc.option(fc.nat(3)), { maxLength: 40 });

  test('is the first one with data, but a few points always remain', () => {
    fc.assert(
      fc.property(values, (points) => {
        const first = firstShown([points], points.length);
        const left = points.slice(0, first);
        expect(left.every((value) => !value)).toBe(true);
        expect(points.length - first).toBeGreaterThanOrEqual(Math.min(pointsMin, points.length));
        const hasData = points.some((value) => value);
        if (hasData && points.length - first > pointsMin) expect(points[first]).toBeTruthy();
        if (!hasData) expect(first).toBe(0);
      }),
    );
  });

  test('a new account does not see the days before its first request', () => {
    expect(firstShown([[0, 0, 0, 0, 0, 0, 7]], 7)).toBe(3);
    expect(
      firstShown(
        [
          [0, 0, 4, 0, 0, 0, 7],
          [null, 2, null, null, null, null, 1],
        ],
        7,
      ),
    ).toBe(1);
  });
});

test('the rest of an amount is exact: all parts and the rest add up to the total', () => {
  const nano = fc.bigInt({ min: 0n, max: 10n ** 24n });
  fc.assert(
    fc.property(fc.array(nano, { maxLength: 4 }), nano, (parts, rest) => {
      const total = parts.reduce((sum, part) => sum + part, rest);
      expect(amountLeft(decimalText(total), parts.map(decimalText))).toBe(decimalText(rest));
    }),
  );
});

test('the bars of a stack end where the next ones begin', () => {
  expect(
    stacked([
      [1, null, 3],
      [2, 5, 0],
    ]),
  ).toEqual([
    [1, 0, 3],
    [3, 5, 3],
  ]);
});

test('no more labels than fit, and the last point has one', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 800 }),
      fc.integer({ min: 0, max: 20 }),
      fc.constantFrom('hour', 'day', 'month'),
      (count, fitting, interval) => {
        const points = labelled(count, fitting, interval);
        expect(points.length).toBeLessThanOrEqual(Math.max(1, fitting));
        expect(points.at(-1)).toBe(count - 1);
      },
    ),
  );
});
