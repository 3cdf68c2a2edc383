import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrations } from '../store/migrate.ts';
import { factsOf } from '../store/sqlite-copy.ts';
import { checkedFiles } from './checksums.ts';
import { type BackupDescription, decodeDescription, descriptionFile, storeFile } from './contents.ts';

/** A backup that cannot be used, and what to do instead. */
export class BackupError extends Error {
  readonly reason = 'backup_unusable';
  readonly params = {};
  readonly fix: string;

  constructor(message: string, fix: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BackupError';
    this.fix = fix;
  }
}

/** A backup that was looked through and can be used. */
export interface SoundBackup extends BackupDescription {
  readonly folder: string;
  /** Its files, in folders of their own where they have any. */
  readonly files: readonly string[];
  /** The digest by which the store knows its secret. */
  readonly pepper: string | undefined;
}

const another = 'Use another backup; nothing was changed.';

/** Reads a backup and finds out whether every byte of it is there, and whether this version can use it. */
export async function readBackup(folder: string): Promise<SoundBackup> {
  if (!existsSync(join(folder, descriptionFile))) {
    throw new BackupError(`${folder} is no backup.`, 'Name the folder that `chat-gateway backup` has made.');
  }
  const files = await checkedFiles(folder).catch((cause: unknown) => {
    throw new BackupError(`The backup in ${folder} is damaged: ${(cause as Error).message}.`, another, { cause });
  });
  const description = decodeDescription(await readFile(join(folder, descriptionFile), 'utf8'));
  if (!description || !files.includes(storeFile) || !files.includes(descriptionFile)) {
    throw new BackupError(
      `${folder} is no backup that this version can read.`,
      'Restore it with the version that made it.',
    );
  }
  return { ...description, folder, files, pepper: checkedStore(folder, description) };
}

function checkedStore(folder: string, { version }: BackupDescription): string | undefined {
  const facts = factsOf(join(folder, storeFile));
  if (facts.damage !== undefined) throw new BackupError(`The store in ${folder} is damaged: ${facts.damage}.`, another);
  const unknown = facts.migrations.find((name) => !(name in migrations));
  if (unknown === undefined) return facts.pepper;
  throw new BackupError(
    `The backup in ${folder} was made by a newer version of the gateway, ${version} (it has the migration ${unknown}).`,
    'Restore it with that version or a newer one; nothing was changed.',
  );
}
