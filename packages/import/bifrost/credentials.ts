import { Secret } from '../secret.ts';
import { textOf, type Values } from '../values.ts';
import type { EncryptionKey } from './decrypt.ts';

export type MissingCredential = 'credential_encrypted' | 'credential_unreadable' | 'credential_missing';

/** A credential, or why there is none. */
export type FoundCredential = Secret | MissingCredential | undefined;

const reference = /^env\.([A-Za-z_][A-Za-z0-9_]*)$/;

/** The secret in a field of a row: `env.NAME`, a value, or an encrypted value. */
export function credentialIn(row: Values, field: string, key: EncryptionKey | undefined): FoundCredential {
  const text = textOf(row[field]);
  if (text === undefined) return undefined;
  const [, name] = reference.exec(text) ?? [];
  if (name !== undefined) return new Secret(`\${${name}}`);
  if (text.startsWith('vault.')) return 'credential_missing';
  if (textOf(row['encryption_status']) !== 'encrypted') return new Secret(text);
  if (!key) return 'credential_encrypted';
  const opened = key.open(text);
  return opened === undefined ? 'credential_unreadable' : new Secret(opened);
}
