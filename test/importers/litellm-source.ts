import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import tables from './litellm-tables.json' with { type: 'json' };
import type { ColumnType, SourceRows } from './source-tables.ts';

const columns = tables as Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The tables of LiteLLM 1.109 that the importer reads, with every column that its own migrations create. */
export const litellmSchema = mapped((text) => text.split(' ')[0] as ColumnType);

/** The rows with the defaults of the columns that they leave out, as LiteLLM writes them. */
export function litellmRows(rows: SourceRows): SourceRows {
  const defaults = mapped((text) => (text.includes(' ') ? JSON.parse(text.split(' ')[1] ?? '') : null));
  return Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [table, all.map((row) => ({ ...defaults[table], ...row }))]),
  );
}

function mapped<Value>(change: (text: string) => Value): Readonly<Record<string, Readonly<Record<string, Value>>>> {
  return Object.fromEntries(
    Object.entries(columns).map(([table, own]) => [
      table,
      Object.fromEntries(Object.entries(own).map(([column, text]) => [column, change(text)])),
    ]),
  );
}

/** The token column of a key. */
export function litellmHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Encrypts as LiteLLM does now. */
export function sealedGcm(text: string, saltKey: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(saltKey).digest(), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `v2:gcm:${Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')}`;
}

/** Encrypts as older versions of LiteLLM do. */
export function sealedBox(text: string, saltKey: string, encoding: 'base64' | 'base64url' = 'base64url'): string {
  const nonce = randomBytes(24);
  const key = createHash('sha256').update(saltKey).digest();
  const box = xsalsa20poly1305(key, nonce).encrypt(Buffer.from(text, 'utf8'));
  return Buffer.concat([nonce, box]).toString(encoding);
}
