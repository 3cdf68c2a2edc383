import { createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/**
 * How another product hashed a password. `bcrypt`: the usual text. `scrypt-16384`: base64 of 16 bytes salt and 32 bytes
 * key, with N 16384, r 8 and p 1. `sha256`: hex, without salt.
 */
export type ForeignPasswordForm = 'bcrypt' | 'scrypt-16384' | 'sha256';

const prefix = 'imported:';
const saltBytes = 16;
const keyBytes = 32;
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** The text to store for an imported password. The next sign-in replaces it by a hash of our own. */
export function foreignPasswordHash(form: ForeignPasswordForm, hash: string): string {
  return `${prefix}${form}:${hash}`;
}

export function isForeignHash(stored: string): boolean {
  return stored.startsWith(prefix);
}

/** False for a malformed hash. */
export async function matchesForeignHash(stored: string, password: string): Promise<boolean> {
  const [, form, hash = ''] = /^imported:([a-z0-9-]+):(.*)$/s.exec(stored) ?? [];
  switch (form) {
    case 'bcrypt': {
      const { compare } = await import('bcryptjs');
      return compare(password, hash).catch(() => false);
    }
    case 'scrypt-16384': {
      const bytes = Buffer.from(hash, 'base64');
      if (bytes.length !== saltBytes + keyBytes) return false;
      const cost = { N: 16_384, r: 8, p: 1 };
      return isSame(bytes.subarray(saltBytes), await derive(password, bytes.subarray(0, saltBytes), keyBytes, cost));
    }
    case 'sha256':
      return isSame(Buffer.from(hash, 'hex'), createHash('sha256').update(password).digest());
    default:
      return false;
  }
}

function isSame(expected: Buffer, actual: Buffer): boolean {
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
