import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { KeyDocument } from '../../manage/admin/keys/key-documents.ts';
import { keyEndpoints } from '../../manage/admin/keys/keys.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import { isObject } from 'chat-formats/wire-value.ts';
import type { Store } from '../../platform/store/store.ts';
import { type EndpointCaller, withAdmin } from '../admin-call.ts';
import { secretLines } from '../catalog/secret-input.ts';
import { answer, CliError } from '../terminal/output.ts';
import { accountOf } from './account-of.ts';
import { type KeyLimitOptions, keyFieldsOf } from './key-options.ts';

export interface ImportKeyOptions extends KeyLimitOptions {
  readonly account?: string;
  readonly name?: string;
  readonly secret?: string;
  readonly sha256?: string;
  readonly scheme?: string;
  readonly file?: string;
}

type ImportedKey = KeyDocument & { readonly is_new: boolean };

type ShowKey = (command: Command, store: Store, key: KeyDocument) => Promise<void>;

export async function importKeys(options: ImportKeyOptions, command: Command, show: ShowKey): Promise<void> {
  if (options.file !== undefined) return importFile(options.file, command);
  const { account, name, secret, sha256, scheme } = options;
  if (account === undefined || name === undefined || (secret === undefined) === (sha256 === undefined)) {
    throw new CliError('import_incomplete', {}, { exitCode: 2 });
  }
  if (secret !== undefined && secret !== '-') throw new CliError('secret_in_option', {}, { exitCode: 2 });
  const keys = secret === undefined ? [undefined] : await secretLines();
  if (keys.length > 1) throw new CliError('import_one_key', { count: keys.length }, { exitCode: 2 });
  await withAdmin(command, async (call, store) => {
    const key = await importOne(call, store, {
      account,
      name,
      secret: keys[0],
      sha256,
      scheme,
      ...keyFieldsOf(options),
    });
    await show(command, store, key);
  });
}

async function importOne(
  call: EndpointCaller,
  store: Store,
  { account, ...fields }: Readonly<Record<string, unknown>>,
): Promise<ImportedKey> {
  const { id } = await accountOf(store, String(account));
  return call<ImportedKey>(keyEndpoints, 'importKey', { body: { account: id, ...fields }, withSecret: true });
}

interface RefusedLine {
  readonly line: number;
  readonly problem: string;
}

/** Each line is imported by itself, so that the file can be corrected and given again. */
async function importFile(path: string, command: Command): Promise<void> {
  await withAdmin(command, async (call, store) => {
    const counts = { imported: 0, known: 0 };
    const refused: RefusedLine[] = [];
    let line = 0;
    for await (const text of await linesOf(path)) {
      line += 1;
      if (text.trim() === '') continue;
      try {
        const { is_new: isNew } = await importOne(call, store, fieldsIn(text));
        counts[isNew ? 'imported' : 'known'] += 1;
      } catch (error) {
        refused.push({ line, problem: error instanceof Error ? error.message : String(error) });
      }
    }
    answer(command, { json: { ...counts, refused }, text: () => report(counts, refused) });
    if (refused.length > 0) process.exitCode = 1;
  });
}

async function linesOf(path: string): Promise<AsyncIterable<string>> {
  return path === '-' ? createInterface({ input: process.stdin }) : (await open(path)).readLines();
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  const value = foreignJson(text);
  if (!isObject(value)) throw new Error('The line is not a JSON object.');
  return value;
}

function report({ imported, known }: { imported: number; known: number }, refused: readonly RefusedLine[]): string {
  const lines = refused.map(({ line, problem }) => `Line ${line} was refused: ${problem}`);
  return [...lines, `${imported} keys were imported, ${known} existed before, ${refused.length} were refused.`].join(
    '\n',
  );
}
