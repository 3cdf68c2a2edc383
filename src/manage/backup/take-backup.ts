import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isPepperFile } from '../../platform/secrets/pepper.ts';
import { copySqlite, factsOf } from '../../platform/store/sqlite/sqlite-copy.ts';
import { sumsFile, writeSums } from './checksums.ts';
import { descriptionFile, encodeDescription, journalFolder, secretFile, storeFile } from './contents.ts';
import { namesIn, privateCopy, synced } from './durable-files.ts';

export interface BackupOptions {
  /** The data folder of the gateway, which may be running. */
  readonly data: string;
  /** The folder to create; it must not exist yet. */
  readonly to: string;
  readonly version: string;
  readonly now: () => number;
  readonly withSecret: boolean;
}

export interface TakenBackup {
  readonly folder: string;
  readonly takenAt: number;
  readonly bytes: number;
  /** Where the secret key is: in the backup, left out on demand, or not in the data folder at all. */
  readonly secret: 'included' | 'left_out' | 'configured';
}

/** Copies the whole embedded store, which may be in use, into a folder that appears complete or not at all. */
export async function takeBackup({ data, to, version, now, withSecret }: BackupOptions): Promise<TakenBackup> {
  const draft = `${to}.part`;
  // A previous backup was killed and left this folder.
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  try {
    const takenAt = now();
    // Journals first: a charge leaves its journal only when the store has it, so it is in at least one of the two
    // copies.
    const journals = await copyJournals(data, draft);
    const copy = join(draft, storeFile);
    await writeFile(copy, '', { mode: 0o600 });
    await copySqlite(join(data, storeFile), copy);
    await synced(copy);
    const { damage, pepper } = factsOf(copy);
    if (damage !== undefined) throw new Error(`the store is damaged: ${damage}`);
    const secret = secretAt(join(data, secretFile), pepper, withSecret);
    if (secret === 'included') await privateCopy(join(data, secretFile), join(draft, secretFile));
    const description = { version, taken_at: new Date(takenAt).toISOString(), has_secret: secret === 'included' };
    await writeFile(join(draft, descriptionFile), encodeDescription(description), { mode: 0o600 });
    const names = [descriptionFile, storeFile, ...(secret === 'included' ? [secretFile] : []), ...journals];
    await writeSums(draft, names);
    await finish(draft, to);
    return { folder: to, takenAt, bytes: await bytesOf(to, names), secret };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** A journal that its process removes meanwhile has no charge that the store lacks. */
async function copyJournals(data: string, draft: string): Promise<readonly string[]> {
  await mkdir(join(draft, journalFolder), { mode: 0o700 });
  const copied: string[] = [];
  for (const name of await namesIn(join(data, journalFolder))) {
    if (!name.endsWith('.jsonl')) continue;
    const path = join(journalFolder, name);
    const isCopied = await privateCopy(join(data, path), join(draft, path)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    if (isCopied) copied.push(path);
  }
  return copied;
}

/** A key file that does not match the store is left over from another one. Then the secret is in the configuration. */
function secretAt(file: string, pepper: string | undefined, withSecret: boolean): TakenBackup['secret'] {
  const isMatching = existsSync(file) && (pepper === undefined || isPepperFile(file, pepper));
  if (!isMatching) return 'configured';
  return withSecret ? 'included' : 'left_out';
}

async function finish(draft: string, to: string): Promise<void> {
  for (const name of [descriptionFile, sumsFile, journalFolder, '.']) await synced(join(draft, name));
  await rename(draft, to);
  await synced(dirname(to));
}

async function bytesOf(folder: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
