import { createDecipheriv, createHash } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Secret } from '../secret.ts';

const gcmPrefix = 'v2:gcm:';
const gcmNonceBytes = 12;
const gcmTagBytes = 16;
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
      return value.startsWith(gcmPrefix) ? this.#openGcm(value.slice(gcmPrefix.length)) : this.#openBox(value);
    } catch {
      return undefined;
    }
  }

  #openGcm(text: string): string {
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, gcmNonceBytes));
    decipher.setAuthTag(bytes.subarray(-gcmTagBytes));
    const sealed = bytes.subarray(gcmNonceBytes, -gcmTagBytes);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
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
