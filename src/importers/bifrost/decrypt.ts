import { argon2Sync, createDecipheriv, createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';

const saltPrefix = 'bifrost-salt-v2:';
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
/** The parameters with which Bifrost derives its key. Memory is in KiB. */
const cost = { memory: 64 * 1024, passes: 1, parallelism: 4, tagLength: 32 };

/** Opens values that Bifrost encrypted with its encryption key. */
export class EncryptionKey {
  readonly #key: Buffer;

  constructor(passphrase: Secret) {
    const message = passphrase.reveal();
    const nonce = createHash('sha256')
      .update(saltPrefix + message)
      .digest()
      .subarray(0, saltBytes);
    this.#key = argon2Sync('argon2id', { message: Buffer.from(message), nonce, ...cost });
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
