import { argon2Sync } from 'node:crypto';
import { openGcm } from '../open-gcm.ts';
import type { Secret } from '../secret.ts';

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
    try {
      return openGcm(this.#key, Buffer.from(value, 'base64'));
    } catch {
      return undefined;
    }
  }
}
