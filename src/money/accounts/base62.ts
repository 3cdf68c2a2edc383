import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The largest multiple of 62 in a byte. Higher bytes are skipped: they would favour the first digits. */
const fairBytes = 248;

/** Cryptographically random digits, each of the 62 equally likely. */
export function randomBase62(length: number): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of randomBytes(length))
      if (byte < fairBytes && digits.length < length) digits += alphabet[byte % 62];
  }
  return digits;
}

/** A number in exactly `length` digits, padded with leading zeros. */
export function base62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 62)) digits = alphabet[rest % 62] + digits;
  return digits;
}
