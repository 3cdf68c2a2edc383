import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads an Ed25519 key from a PEM file. Throws if it is a key of another type. */
export function signingKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`${file} is a key of type ${key.asymmetricKeyType}. Create one: openssl genpkey -algorithm ed25519`);
}

/** Signs the checksums in a folder of release files. The same key always gives the same signature. */
export function signChecksums(folder: string, key: KeyObject): void {
  const sums = join(folder, 'SHA256SUMS');
  writeFileSync(`${sums}.sig`, sign(null, readFileSync(sums), key));
}

// The workflow that publishes signs in a job of its own, which runs no code of other packages.
if (import.meta.main) signChecksums('release', signingKey(process.argv[2] ?? ''));
