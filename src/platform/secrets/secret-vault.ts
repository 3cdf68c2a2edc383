import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/**
 * Encrypts secrets for a store that others may read. A sealed secret can be opened only with this vault and for the
 * same owner.
 */
export interface SecretVault {
  /** Returns the record to store instead of the secret: `enc:v1:<key id>:<nonce>:<ciphertext and tag>`. */
  seal(owner: string, secret: string): string;
  open(owner: string, record: string): OpenedSecret;
  /** The prefix of all records that this vault seals. */
  readonly beginning: string;
  /** The prefixes of records sealed with former secrets that this vault can open. */
  readonly formerBeginnings: readonly string[];
}

/** `foreign`: sealed with a different secret. `damaged`: changed, truncated, or copied from another owner. */
export type OpenedSecret =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly reason: 'foreign' | 'damaged' };

const prefix = 'enc:v1:';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export function isSealed(text: string): boolean {
  return text.startsWith(prefix);
}

/** The current secret, and former secrets that open older records. */
type VaultSecret = KeyObject & { readonly others?: readonly KeyObject[] };

/**
 * Creates a vault. Its key is derived from the gateway's secret, or another one, for one purpose. Every record contains
 * the id of the key.
 */
export function secretVault(mainSecret: VaultSecret, purpose = 'chat-gateway provider secrets'): SecretVault {
  const current = vaultOf(mainSecret, purpose);
  const others = (mainSecret.others ?? []).map((each) => vaultOf(each, purpose));
  if (others.length === 0) return current;
  return {
    ...current,
    formerBeginnings: others.map(({ beginning }) => beginning),
    open(owner, record) {
      const sealer = others.find(({ beginning }) => record.startsWith(beginning)) ?? current;
      return sealer.open(owner, record);
    },
  };
}

function vaultOf(mainSecret: KeyObject, purpose: string): SecretVault {
  const key = derived(mainSecret, purpose, 32);
  const keyId = derived(mainSecret, `${purpose} id`, 4).toString('hex');
  return {
    beginning: `${prefix}${keyId}:`,
    formerBeginnings: [],
    seal(owner, secret) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]);
      return `${prefix}${keyId}:${nonce.toString('base64url')}:${sealed.toString('base64url')}`;
    },
    open(owner, record) {
      const [id, nonceText = '', sealedText = ''] = record.slice(prefix.length).split(':');
      if (id !== keyId) return { ok: false, reason: 'foreign' };
      const [nonce, sealed] = [Buffer.from(nonceText, 'base64url'), Buffer.from(sealedText, 'base64url')];
      if (nonce.length !== nonceBytes || sealed.length < tagBytes) return { ok: false, reason: 'damaged' };
      try {
        const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(owner))
          .setAuthTag(sealed.subarray(-tagBytes));
        const secret = Buffer.concat([opening.update(sealed.subarray(0, -tagBytes)), opening.final()]);
        return { ok: true, secret: secret.toString('utf8') };
      } catch {
        return { ok: false, reason: 'damaged' };
      }
    },
  };
}

function derived(secret: KeyObject, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes));
}
