import { createHash } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { openGcm } from '../open-gcm.ts';
import type { Secret } from '../secret.ts';

const gcmPrefix = 'v2:gcm:';
const boxNonceBytes = 24;
const boxTagBytes = 16;

/** Opens values that LiteLLM encrypted with `LITELLM_SALT_KEY`, or with its master key. */
export class SaltKey {
  readonly #key: Buffer;

  constructor(saltKey: Secret) {
    this.#key = createHash('sha256').update(saltKey.reveal()).digest();
  }

  /** The text that was encrypted. `undefined` if the value is not encrypted with this key. */
  open(value: string): string | undefined {
    try {
      if (!value.startsWith(gcmPrefix)) return this.#openBox(value);
      return openGcm(this.#key, Buffer.from(value.slice(gcmPrefix.length), 'base64url'));
    } catch {
      return undefined;
    }
  }

  #openBox(text: string): string {
    const bytes = Buffer.from(text, 'base64');
    const box = xsalsa20poly1305(this.#key, bytes.subarray(0, boxNonceBytes));
    return Buffer.from(box.decrypt(bytes.subarray(boxNonceBytes))).toString('utf8');
  }
}

/** Whether the value has the form of an encrypted one. A long provider key has it too. */
export function looksEncrypted(value: string): boolean {
  if (value.startsWith(gcmPrefix)) return true;
  if (!/^[A-Za-z0-9_+/-]+={0,2}$/.test(value)) return false;
  return Buffer.from(value, 'base64').length > boxNonceBytes + boxTagBytes;
}
