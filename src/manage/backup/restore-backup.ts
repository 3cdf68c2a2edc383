import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isPepperFile } from '../../platform/secrets/pepper.ts';
import { formatStamp } from '../../core/build-stamp.ts';
import { openDataFolder } from '../../platform/store/data-folder.ts';
import { settledAlone } from '../../platform/store/sqlite/sqlite-copy.ts';
import { journalFolder, secretFile, storeFile } from './contents.ts';
import { privateCopy, synced } from './durable-files.ts';
import { inUseError, readBackup, type SoundBackup } from './read-backup.ts';

export interface RestoreOptions {
  readonly from: string;
  readonly data: string;
  readonly now: () => number;
}

export interface RestoredBackup {
  readonly backup: SoundBackup;
  /** The folder with the previous files; `undefined` if there were none. */
  readonly aside: string | undefined;
  /** The data folder has no key that decrypts the restored store. */
  readonly lacksSecret: boolean;
}

/** Replaces the store of an unused data folder with a backup, and keeps the previous files. */
export async function restoreBackup({ from, data, now }: RestoreOptions): Promise<RestoredBackup> {
  const backup = await readBackup(from);
  openDataFolder(data);
  const store = join(data, storeFile);
  if (existsSync(store) && !settledAlone(store)) throw inUseError(data, 'restore');
  const stamp = formatStamp(now());
  const fresh = await copyFiles(backup, join(data, `restoring-${stamp}`));
  const aside = join(data, `before-restore-${stamp}`);
  const hasPrevious = await keepPrevious(data, aside, backup.has_secret);
  // If the process ends at any point, the store is either the old one or the new one. A repeated restore completes.
  await rename(join(fresh, journalFolder), join(data, journalFolder));
  if (backup.has_secret) await rename(join(fresh, secretFile), join(data, secretFile));
  await rename(join(fresh, storeFile), store);
  await synced(data);
  await rm(fresh, { recursive: true, force: true });
  return { backup, aside: hasPrevious ? aside : undefined, lacksSecret: lacksSecret(data, backup) };
}

/** Copies everything before any file is moved, so that a full disk is noticed in time. */
async function copyFiles({ folder, files, has_secret }: SoundBackup, fresh: string): Promise<string> {
  await mkdir(join(fresh, journalFolder), { recursive: true, mode: 0o700 });
  const wanted = files.filter((name) => name === storeFile || isJournal(name) || (has_secret && name === secretFile));
  try {
    for (const name of wanted) await privateCopy(join(folder, name), join(fresh, name));
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  return fresh;
}

function isJournal(name: string): boolean {
  return name === join(journalFolder, basename(name));
}

/**
 * Moves the files that must not stay next to the new store. The store and the secret are replaced in one step later, so
 * they get a hard link. The high-water mark of charges stays: `ledger verify` uses it to find charges that the backup
 * lacks.
 */
async function keepPrevious(data: string, aside: string, withSecret: boolean): Promise<boolean> {
  const moved = [journalFolder, `${storeFile}-wal`, `${storeFile}-shm`].filter((name) => existsSync(join(data, name)));
  const linked = [storeFile, ...(withSecret ? [secretFile] : [])].filter((name) => existsSync(join(data, name)));
  if (moved.length + linked.length === 0) return false;
  await mkdir(aside, { mode: 0o700 });
  for (const name of linked) await link(join(data, name), join(aside, name));
  for (const name of moved) await rename(join(data, name), join(aside, name));
  await synced(aside);
  return true;
}

function lacksSecret(data: string, { pepper }: SoundBackup): boolean {
  const file = join(data, secretFile);
  return pepper !== undefined && !(existsSync(file) && isPepperFile(file, pepper));
}
