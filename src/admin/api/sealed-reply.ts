import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import type { Pepper } from '../../accounts/key-digest.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a reply, because it may hold a new secret. Opening it needs the pepper and the same `owner`. */
export function sealReply(pepper: KeyObject, owner: string, reply: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, sealingKey(pepper), nonce).setAAD(Buffer.from(owner));
  return Buffer.concat([nonce, sealing.update(reply, 'utf8'), sealing.final(), sealing.getAuthTag()]).toString(
    'base64',
  );
}

export function openReply(pepper: Pepper, owner: string, sealed: string): string {
  for (const each of pepper.others ?? []) {
    try {
      return openedWith(each, owner, sealed);
    } catch {
      // Sealed with another pepper.
    }
  }
  return openedWith(pepper, owner, sealed);
}

function openedWith(pepper: KeyObject, owner: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const opening = createDecipheriv(cipher, sealingKey(pepper), bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(-tagBytes));
  return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
}

function sealingKey(pepper: KeyObject): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', 'chat-gateway admin replies', 32));
}
