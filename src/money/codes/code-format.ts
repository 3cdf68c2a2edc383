import { randomBytes } from 'node:crypto';

/** No I, L, O or U, so that a code read aloud or typed from paper is unambiguous and spells no words. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const randomLength = 19;
const groupLength = 4;

/** A new code with 95 random bits and a check character, in groups: `7K3M-9PQR-…`. */
export function newCode(): string {
  const digits = Array.from(randomBytes(randomLength), (byte) => byte % alphabet.length);
  const text = [...digits, checkDigit(digits)].map((digit) => alphabet[digit]).join('');
  return grouped(text);
}

/**
 * Parses a typed code into the format of `newCode`; `undefined` if it is not valid. Ignores case, spaces and dashes,
 * and accepts letters that look like digits. Detects every single wrong character and every swap of two characters
 * without a store access.
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

/** The part of a code that may be shown later: enough to recognise it, useless for guessing it. */
export function codeDisplay(code: string): string {
  return `${code.slice(0, groupLength)}…${code.slice(-2)}`;
}

function grouped(text: string): string {
  return (text.match(/.{4}/g) ?? []).join('-');
}

/**
 * Each digit is a coefficient over GF(32), weighted by another power of the generator. All weights differ and none is
 * one, so a change of one digit, or a swap of two, changes the sum.
 */
function checkDigit(digits: readonly number[]): number {
  return digits.reduceRight((sum, digit) => doubled(sum ^ digit), 0);
}

/** Multiplies by the generator, modulo x⁵ + x² + 1. */
function doubled(value: number): number {
  const shifted = value << 1;
  return shifted & 0b100000 ? shifted ^ 0b100101 : shifted;
}
