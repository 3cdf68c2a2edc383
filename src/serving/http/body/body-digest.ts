import { hash, webcrypto } from 'node:crypto';

/** A larger body is hashed on another thread. */
const smallBytes = 256 * 1024;

export async function bodyDigest(bytes: Buffer): Promise<string> {
  if (bytes.length <= smallBytes) return bodyDigestNow(bytes);
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('base64url');
}

export function bodyDigestNow(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url');
}
