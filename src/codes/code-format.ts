import { randomBytes } from 'node:crypto';

/** No I, L, O or U: what people read aloud or type from paper stays unambiguous, and spells nothing. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const randomLength = 19;
const groupLength = 4;

/** A new code: 95 random bits and a check character, as people are given it: `7K3M-9PQR-…`. */
export function newCode(): string {
  const digits = Array.from(randomBytes(randomLength), (byte) => byte % alphabet.length);
  const text = [...digits, checkDigit(digits)].map((digit) => alphabet[digit]).join('');
  return grouped(text);
}

/**
 * The code that was typed, as `newCode` wrote it; nothing if it cannot be one. Case, spaces and dashes do not matter, nor
 * do letters that look like a digit. Any one wrong character and any two that changed places are found without a look
 * at the store.
 */
export function readCode(typed: string): string | undefined {
  const text = typed
    .toUpperCase()
    .replaceAll(/[\s\-‐-―]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const digits = Array.from(text, (character) => alphabet.indexOf(character));
  if (digits.length !== randomLength + 1 || digits.includes(-1)) return undefined;
  return checkDigit(digits.slice(0, randomLength)) === digits[randomLength] ? grouped(text) : undefined;
}

/** What may be shown of a code later: enough to recognise, useless to guess. */
export function codeDisplay(code: string): string {
  return `${code.slice(0, groupLength)}…${code.slice(-2)}`;
}

function grouped(text: string): string {
  return (text.match(/.{4}/g) ?? []).join('-');
}

/**
 * The digits as coefficients over the field of 32 elements, each weighed by another power of its generator. All weights
 * differ and none is one, so a change of one digit, or of two places, changes the sum.
 */
function checkDigit(digits: readonly number[]): number {
  return digits.reduceRight((sum, digit) => doubled(sum ^ digit), 0);
}

/** Times the generator, modulo x⁵ + x² + 1. */
function doubled(value: number): number {
  const shifted = value << 1;
  return shifted & 0b100000 ? shifted ^ 0b100101 : shifted;
}
