/** The encodings of texts in dumps that are read. Their bytes are never part of a quote or a backslash. */
export type TextEncoding = 'utf-8' | 'windows-1252';

const utf8 = new TextDecoder('utf-8');
const latin1 = new TextDecoder('windows-1252');

/** The encoding with this name in MySQL or PostgreSQL; `undefined` if it is not read. */
export function encodingOf(name: string): TextEncoding | undefined {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (['utf8', 'utf8mb3', 'utf8mb4', 'unicode', 'ascii', 'usascii', 'binary', 'sqlascii'].includes(plain))
    return 'utf-8';
  return plain === 'latin1' ? 'windows-1252' : undefined;
}

/** The text of bytes that are given as Latin-1 characters. */
export function textOf(bytes: string, encoding: TextEncoding): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the same in both.
  if (/^[\0-\x7f]*$/.test(bytes)) return bytes;
  return (encoding === 'utf-8' ? utf8 : latin1).decode(Buffer.from(bytes, 'latin1'));
}
