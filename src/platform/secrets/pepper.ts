import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { withDataFolderErrors } from '../store/data-folder.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { isOneOf, markOf, type Pepper, sameDigest } from './key-digest.ts';

export interface PepperOptions {
  /** The directory of the embedded store, which holds the pepper as `secret.key`. */
  readonly data: string;
  /** From the configuration. It replaces the file. */
  readonly secret: string | undefined;
  /** Secrets that are also accepted during a rotation. */
  readonly otherSecrets?: readonly string[] | undefined;
}

/**
 * Opens the secret of the key digests. The first start generates it. Throws if it does not match the keys in the store,
 * because every client would get 401.
 */
export async function openPepper(store: Store, options: PepperOptions): Promise<Pepper> {
  const { secret } = options;
  const { pepper, others, file } = readSecrets(options);
  const { missing, founding } = await checkStore(store, [pepper, ...others]);
  if (missing === 'a second') throw new Error(secondMissing);
  if (missing === 'all') {
    throw new Error(
      secret === undefined
        ? `${file} is not the secret that the API keys in this store were made with. Put the right file back from a backup`
        : 'The configured `secret` is not the one that the API keys in this store were made with. Set it back',
    );
  }
  return Object.assign(pepper, others.length > 0 && { others }, founding && { founding });
}

/** Reads the secrets without a look at the store. Creates a missing file. */
export function readSecrets({ data, secret, otherSecrets = [] }: PepperOptions) {
  const file = join(data, 'secret.key');
  const pepper = secret === undefined ? createSecretKey(fileBytes(file, data)) : configuredKey(secret);
  return { pepper, others: otherSecrets.map(configuredKey), file };
}

const secondMissing =
  'The store needs a second secret in addition to `secret`: a rotation began and is not complete. Put the other one into `other_secrets`, and run `chat-gateway secret rotate`';

/** Compares the configured secrets with the marks in the settings of a store. */
export function missingSecrets(secrets: readonly string[], marks: string): MissingSecret {
  return missingOf(marks.split(' '), secrets.map(configuredKey).map(markOf));
}

/** Ends a rotation: records that the store needs no other secret than this one. */
export async function forgetOthers(db: Kysely<Database>, pepper: Pepper): Promise<void> {
  await db
    .updateTable('settings')
    .set({ value: markOf(pepper) })
    .where('name', '=', 'pepper')
    .execute();
}

type MissingSecret = 'none' | 'a second' | 'all';

function missingOf(marks: readonly string[], own: readonly string[]): MissingSecret {
  const known = marks.filter((mark) => isOneOf(own, mark));
  if (known.length === marks.length) return 'none';
  return known.length > 0 || own.length > 1 ? 'a second' : 'all';
}

/** The text itself, or the bytes of a key file if it is `hex:` and the text of the file. */
function configuredKey(secret: string): KeyObject {
  const [, bytes] = fileForm.exec(secret) ?? [];
  return createSecretKey(bytes === undefined ? Buffer.from(secret) : Buffer.from(bytes, 'hex'));
}

const fileForm = /^hex:([0-9a-f]{64})$/;

/** Whether the file holds a secret of the store with these marks in its settings. */
export function isPepperFile(file: string, marks: string): boolean {
  const text = readFileSync(file, 'utf8');
  return pepperText.test(text) && isOneOf(marks.split(' '), markOf(createSecretKey(bytesIn(text))));
}

const pepperText = /^[0-9a-f]{64}\n$/;

function fileBytes(file: string, folder: string): Buffer {
  const text = withDataFolderErrors(file, folder, () => readOrMake(file));
  if (!pepperText.test(text)) throw new Error(`${file} is damaged. Put the right file back from a backup`);
  return bytesIn(text);
}

function bytesIn(text: string): Buffer {
  return Buffer.from(text.trim(), 'hex');
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

/** Creates the file atomically. If several processes try, the first one wins. */
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

/**
 * Checks whether a store can be used with these secrets. The first one is for new data. The store keeps the marks of
 * all secrets that its data may need, oldest first. While it has no valid keys, any secret is accepted.
 */
async function checkStore(
  store: Store,
  secrets: readonly [KeyObject, ...KeyObject[]],
): Promise<{ readonly missing: MissingSecret; readonly founding?: KeyObject | undefined }> {
  const own = secrets.map(markOf);
  const [current = ''] = own;
  return store.transaction(
    async (tx) => {
      const known = await tx.selectFrom('settings').select('value').where('name', '=', 'pepper').executeTakeFirst();
      const marks = known?.value.split(' ') ?? [];
      const missing = missingOf(marks, own);
      if (missing === 'none' && isOneOf(marks, current)) return { missing, founding: foundingOf(secrets, marks) };
      const key = await tx.selectFrom('api_keys').select('id').where('revoked_at', 'is', null).executeTakeFirst();
      if (missing !== 'none' && key) return { missing };
      const value = [...(missing === 'none' ? marks : []), current].join(' ');
      await tx
        .insertInto('settings')
        .values({ name: 'pepper', value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
      return { missing: 'none', founding: foundingOf(secrets, marks) };
    },
    { lock: 'pepper' },
  );
}

function foundingOf(
  [, ...others]: readonly [KeyObject, ...KeyObject[]],
  [first]: readonly string[],
): KeyObject | undefined {
  return first === undefined ? undefined : others.find((each) => sameDigest(markOf(each), first));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
