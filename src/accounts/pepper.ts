import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { explained } from '../store/data-folder.ts';
import type { Store } from '../store/store.ts';
import { keyDigest, sameDigest } from './key-digest.ts';

export interface PepperOptions {
  /** The directory of the embedded store; the pepper lies in it as `secret.key`. */
  readonly data: string;
  /** From the configuration; replaces the file. */
  readonly secret: string | undefined;
}

/**
 * The secret that key digests are made with, generated at the first start. Refuses one that does not fit the keys in
 * the store: going on would answer 401 to every client.
 */
export async function openPepper(store: Store, { data, secret }: PepperOptions): Promise<KeyObject> {
  const file = join(data, 'secret.key');
  const pepper = secret === undefined ? createSecretKey(fileBytes(file, data)) : configuredKey(secret);
  if (!(await fitsStore(store, pepper))) {
    throw new Error(
      secret === undefined
        ? `${file} is not the secret that the API keys in this store were made with. Put the right file back from a backup`
        : 'The configured `secret` is not the one that the API keys in this store were made with. Set it back',
    );
  }
  return pepper;
}

/** Whether a configured secret is that of the store that has this mark among its settings. */
export function isPepper(secret: string, mark: string): boolean {
  return sameDigest(markOf(configuredKey(secret)), mark);
}

/** The text as it is, or the bytes of a key file that is written `hex:` and its text. */
function configuredKey(secret: string): KeyObject {
  const [, bytes] = fileForm.exec(secret) ?? [];
  return createSecretKey(bytes === undefined ? Buffer.from(secret) : Buffer.from(bytes, 'hex'));
}

const fileForm = /^hex:([0-9a-f]{64})$/;

/** Whether a file is the secret of the store that has this mark among its settings. */
export function isPepperFile(file: string, mark: string): boolean {
  const text = readFileSync(file, 'utf8');
  return pepperText.test(text) && sameDigest(markOf(createSecretKey(bytesIn(text))), mark);
}

const pepperText = /^[0-9a-f]{64}\n$/;

function fileBytes(file: string, folder: string): Buffer {
  const text = explained(file, folder, () => readOrMake(file));
  if (!pepperText.test(text)) throw new Error(`${file} is damaged. Put the right file back from a backup`);
  return bytesIn(text);
}

function bytesIn(text: string): Buffer {
  return Buffer.from(text.trim(), 'hex');
}

/** What a store remembers of its secret. */
function markOf(pepper: KeyObject): string {
  return keyDigest(pepper, 'the pepper of this store');
}

function readOrMake(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    make(file);
    return readFileSync(file, 'utf8');
  }
}

/** Appears complete or not at all, and the first of several processes wins. */
function make(file: string): void {
  const draft = `${file}.${randomUUID()}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    writeSync(descriptor, `${randomBytes(32).toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(draft);
  }
}

/** As long as the store has no usable keys, any pepper will do. */
async function fitsStore(store: Store, pepper: KeyObject): Promise<boolean> {
  const mark = markOf(pepper);
  return store.transaction(
    async (tx) => {
      const known = await tx.selectFrom('settings').select('value').where('name', '=', 'pepper').executeTakeFirst();
      if (known && sameDigest(known.value, mark)) return true;
      const key = await tx.selectFrom('api_keys').select('id').where('revoked_at', 'is', null).executeTakeFirst();
      if (known && key) return false;
      await tx
        .insertInto('settings')
        .values({ name: 'pepper', value: mark })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: mark }))
        .execute();
      return true;
    },
    { lock: 'pepper' },
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
