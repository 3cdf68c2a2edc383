import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeDisplay, newCode, readCode } from './code-format.ts';

const code = fc.constant(undefined).map(newCode);
const position = fc.nat({ max: 19 });

test('a code is accepted in any case, with any dashes and spaces, and with letters that look like digits', () => {
  fc.assert(
    fc.property(code, (made) => {
      expect(made).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/);
      const typed = ` ${made.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`;
      expect([readCode(made), readCode(typed), readCode(made.replaceAll('-', '–'))]).toEqual([made, made, made]);
    }),
    { numRuns: 50 },
  );
});

test('a code with one wrong character, or with two swapped, is rejected', () => {
  fc.assert(
    fc.property(
      code,
      position,
      position,
      fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
      (made, one, other, wrong) => {
        const characters = [...made.replaceAll('-', '')];
        const replaced = characters.with(one, wrong);
        if (characters[one] !== wrong) expect(readCode(replaced.join(''))).toBeUndefined();
        const swapped = characters.with(one, characters[other] ?? '').with(other, characters[one] ?? '');
        if (characters[one] !== characters[other]) expect(readCode(swapped.join(''))).toBeUndefined();
      },
    ),
    { numRuns: 150 },
  );
});

test('text that is not a code is rejected', () => {
  for (const text of ['', 'UUUU-UUUU-UUUU-UUUU-UUUU', '0'.repeat(19), '1'.repeat(20), 'é'.repeat(20)]) {
    expect(readCode(text)).toBeUndefined();
  }
});

test('the displayed part of a code keeps most of it secret', () => {
  expect(codeDisplay('7K3M-9PQR-0000-0000-00AB')).toBe('7K3M…AB');
});
