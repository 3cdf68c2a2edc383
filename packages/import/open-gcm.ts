import { createDecipheriv } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** Opens a text that AES-256-GCM sealed: the nonce, the sealed bytes and the tag. Throws if the key does not fit. */
export function openGcm(key: Buffer, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
}
