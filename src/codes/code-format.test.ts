import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codeDisplay, newCode, readCode } from './code-format.ts';

const code = fc.constant(undefined).map(newCode);
const place = fc.nat({ max: 19 });

test('a code is read as people type it: in any case, with any dashes and spaces, with letters that look like digits', () => {
  fc.assert(
    fc.property(code, (made) => {
      expect(made).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z]{4}$/);
      const typed = ` ${made.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}\n`;
      expect([readCode(made), readCode(typed), readCode(made.replaceAll('-', '–'))]).toEqual([made, made, made]);
    }),
    { numRuns: 50 },
  );
});

test('one wrong character, or two that changed places, is always told from a code', () => {
  fc.assert(
    fc.property(
      code,
      place,
      place,
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

test('what is no code at all is none', () => {
  for (const text of ['', 'UUUU-UUUU-UUUU-UUUU-UUUU', '0'.repeat(19), '1'.repeat(20), 'é'.repeat(20)]) {
    expect(readCode(text)).toBeUndefined();
  }
});

test('what is shown of a code keeps most of it secret', () => {
  expect(codeDisplay('7K3M-9PQR-0000-0000-00AB')).toBe('7K3M…AB');
});
