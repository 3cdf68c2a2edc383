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

/** One check takes about a second. The time doubles with each step, and the format allows 31. */
const bcryptCostMax = 14;

/**
 * The text to store for an imported password. The next sign-in replaces it by a hash of our own. Undefined for a hash
 * that cannot be checked, or only in a long time.
 */
export function foreignPasswordHash(form: ForeignPasswordForm, hash: string): string | undefined {
  return form === 'bcrypt' && !isCheckable(hash) ? undefined : `${prefix}${form}:${hash}`;
}

function isCheckable(bcryptHash: string): boolean {
  const [, cost] = /^\$2[abxy]?\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(bcryptHash) ?? [];
  return cost !== undefined && Number(cost) <= bcryptCostMax;
}

export function isForeignHash(stored: string): boolean {
  return stored.startsWith(prefix);
}

/** False for a malformed hash. */
export async function matchesForeignHash(stored: string, password: string): Promise<boolean> {
  const [, form, hash = ''] = /^imported:([a-z0-9-]+):(.*)$/s.exec(stored) ?? [];
  switch (form) {
    case 'bcrypt': {
      if (!isCheckable(hash)) return false;
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
