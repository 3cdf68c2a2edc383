import { argon2Sync, createDecipheriv } from 'node:crypto';
import type { Secret } from '../secret.ts';

const nonceBytes = 12;
const tagBytes = 16;
/** How Bifrost derives its key: the salt is the same in every installation. Memory is in KiB. */
const nonce = Buffer.from('bifrost-encryption-v1-salt-2024');
const cost = { memory: 64 * 1024, passes: 1, parallelism: 4, tagLength: 32 };

/** Opens values that Bifrost encrypted with its encryption key. */
export class EncryptionKey {
  readonly #key: Buffer;

  constructor(passphrase: Secret) {
    this.#key = argon2Sync('argon2id', { message: Buffer.from(passphrase.reveal()), nonce, ...cost });
  }

  /** `undefined` if the value is not encrypted with this key. */
  open(value: string): string | undefined {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const sealed = bytes.subarray(nonceBytes, -tagBytes);
      return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
