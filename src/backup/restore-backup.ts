import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isPepperFile } from '../accounts/pepper.ts';
import { stampText } from '../core/build-stamp.ts';
import { openDataFolder } from '../store/data-folder.ts';
import { settledAlone } from '../store/sqlite-copy.ts';
import { journalFolder, secretFile, storeFile } from './contents.ts';
import { privateCopy, synced } from './durable-files.ts';
import { BackupError, readBackup, type SoundBackup } from './read-backup.ts';

export interface RestoreOptions {
  readonly from: string;
  readonly data: string;
  readonly now: () => number;
}

export interface RestoredBackup {
  readonly backup: SoundBackup;
  /** Where what was there before is kept; nothing was there if left out. */
  readonly aside: string | undefined;
  /** The data folder has no key for what was restored. */
  readonly lacksSecret: boolean;
}

/** Puts a backup in the place of the store in a data folder that nobody uses, and keeps what was there. */
export async function restoreBackup({ from, data, now }: RestoreOptions): Promise<RestoredBackup> {
  const backup = await readBackup(from);
  openDataFolder(data);
  const store = join(data, storeFile);
  if (existsSync(store) && !settledAlone(store)) throw inUse(data);
  const stamp = stampText(now());
  const fresh = await broughtIn(backup, join(data, `restoring-${stamp}`));
  const aside = join(data, `before-restore-${stamp}`);
  const wasThere = await putAside(data, aside, backup.has_secret);
  // Whatever this is cut off at, the store is the old one or the new one; done again it comes to the same end.
  await rename(join(fresh, journalFolder), join(data, journalFolder));
  if (backup.has_secret) await rename(join(fresh, secretFile), join(data, secretFile));
  await rename(join(fresh, storeFile), store);
  await synced(data);
  await rm(fresh, { recursive: true, force: true });
  return { backup, aside: wasThere ? aside : undefined, lacksSecret: lacksSecret(data, backup) };
}

function inUse(data: string): BackupError {
  return new BackupError(
    `The store in ${data} is in use.`,
    'Stop the gateway and every command that works with it, then restore again; nothing was changed.',
  );
}

/** Copied whole before anything is moved: a disk that is too small is found out in time. */
async function broughtIn({ folder, files, has_secret }: SoundBackup, fresh: string): Promise<string> {
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
 * What must not be left beside the new store is moved; the store and the secret, which are replaced in one step later, get
 * a second name. The mark of the last charge stays: it is how `ledger verify` knows what the backup does not have.
 */
async function putAside(data: string, aside: string, withSecret: boolean): Promise<boolean> {
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
