import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from './base62.ts';

const prefix = 'gwk_live_';
const randomLength = 32;
const checksumLength = 6;
const checkedLength = prefix.length + randomLength;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** A new API key: `gwk_live_`, 190 random bits, and a checksum that lets scanners and servers tell keys from other text. */
export function newSecret(): string {
  const checked = prefix + randomBase62(randomLength);
  return checked + checksum(checked);
}

/** Whether a text could be a key at all. Needs no store, so mistyped and invented keys cost next to nothing. */
export function wellFormed(text: string): boolean {
  return shape.test(text) && text.endsWith(checksum(text.slice(0, checkedLength)));
}

/** What may be shown of a key after it was made: enough to recognise, useless to guess. */
export function displayForm(secret: string): string {
  return `${secret.slice(0, prefix.length + 2)}…${secret.slice(-2)}`;
}

function checksum(checked: string): string {
  return base62(crc32(checked), checksumLength);
}
