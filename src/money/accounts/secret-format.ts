import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from './base62.ts';

const randomLength = 32;
const checksumLength = 6;

export function secretFormat(prefix: string) {
  const checkedLength = prefix.length + randomLength;
  const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);
  return {
    /** A new secret: the prefix, 190 random bits, and a checksum by which scanners and servers recognise it. */
    newSecret: (): string => {
      const checked = prefix + randomBase62(randomLength);
      return checked + checksum(checked);
    },
    /** Checks format and checksum. Needs no store, so mistyped and invented secrets cost next to nothing. */
    wellFormed: (text: string) => shape.test(text) && text.endsWith(checksum(text.slice(0, checkedLength))),
    /** The part of a secret that may be shown later: enough to recognise it, too little to guess it. */
    displayForm: (secret: string) => `${secret.slice(0, prefix.length + 2)}…${secret.slice(-2)}`,
  };
}

/** The same for a secret of any shape: an eighth at each end, and at most four characters. */
export function foreignDisplay(secret: string): string {
  const shown = Math.min(4, Math.floor(secret.length / 8));
  return `${secret.slice(0, shown)}…${secret.slice(secret.length - shown)}`;
}

function checksum(checked: string): string {
  return base62(crc32(checked), checksumLength);
}

export const { newSecret, wellFormed, displayForm } = secretFormat('gwk_live_');
