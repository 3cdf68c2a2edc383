import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { ImportInput, SourceDocument } from 'chat-gateway-import/importer.ts';
import { ImportError } from 'chat-gateway-import/importer.ts';
import type { Product } from 'chat-gateway-import/plan.ts';
import { openTables } from 'chat-gateway-import/readers/open-tables.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import type { TableReader } from 'chat-gateway-import/table-reader.ts';
import { addressText } from '../../platform/store/postgres/postgres-address.ts';
import { credentials } from '../catalog/secret-input.ts';
import { CliError } from '../terminal/output.ts';

export interface SaltKeyOptions {
  readonly saltKeyEnv?: string;
  readonly saltKeyStdin?: boolean;
}

/** The key that decrypts credentials of the source: never a value of the command line, which other users can read. */
export async function saltKeyOf(
  { saltKeyEnv, saltKeyStdin }: SaltKeyOptions,
  input?: Readable & { isTTY?: boolean },
): Promise<Secret | undefined> {
  if (saltKeyEnv !== undefined) {
    const value = process.env[saltKeyEnv];
    if (value === undefined || value === '')
      throw new CliError('salt_key_not_set', { name: saltKeyEnv }, { exitCode: 2 });
    return new Secret(value);
  }
  if (!saltKeyStdin) return undefined;
  const [key = ''] = await credentials(['-'], input);
  return new Secret(key);
}

/** A file by its name, or a reply of the running product by its address. */
const documentName = /^https?:\/\/|\.(?:ya?ml|json)$/i;
const replyBytesMax = 64 * 1024 * 1024;
const replyMs = 30_000;

/** Runs the work with the opened sources: at most one database, and any number of files. */
export async function withSources<Result>(
  sources: readonly string[],
  work: (input: Pick<ImportInput, 'tables' | 'documents'>) => Promise<Result>,
): Promise<Result> {
  const databases = sources.filter((source) => !documentName.test(source));
  if (databases.length > 1) throw new CliError('import_databases', { count: databases.length }, { exitCode: 2 });
  const documents = await Promise.all(sources.filter((source) => documentName.test(source)).map(documentAt));
  let tables: TableReader | undefined;
  try {
    tables = databases[0] === undefined ? undefined : await openTables(databases[0], addressText(databases[0]));
    return await work({ tables, documents });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new CliError('import_unreadable', { problem: error.message, fix: error.fix }, { cause: error });
  } finally {
    await tables?.close();
  }
}

async function documentAt(source: string): Promise<SourceDocument> {
  try {
    if (/^https?:/i.test(source)) return { name: new URL(source).pathname, text: await replyAt(source) };
    return { name: basename(source), text: readFileSync(source, 'utf8') };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new CliError('import_unreadable', { problem, fix: 'Check the path.' }, { cause: error });
  }
}

async function replyAt(address: string): Promise<string> {
  const { ok, status, body } = await fetch(address, { signal: AbortSignal.timeout(replyMs) });
  if (!ok) throw new Error(`${new URL(address).host} answered with status ${status}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > replyBytesMax) throw new Error(`the reply of ${new URL(address).host} is longer than 64 MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The name of the source in the store. A second import finds its items by it. */
export function sourceName(
  product: Product,
  { tables, documents }: Pick<ImportInput, 'tables' | 'documents'>,
  given: string | undefined,
): string {
  return `${product}:${given ?? tables?.label ?? documents[0]?.name ?? ''}`;
}
