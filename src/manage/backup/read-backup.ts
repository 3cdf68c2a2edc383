import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrations } from '../../platform/store/migrate.ts';
import { factsOf } from '../../platform/store/sqlite/sqlite-copy.ts';
import { verifyFiles } from './checksums.ts';
import { type BackupDescription, decodeDescription, descriptionFile, storeFile } from './contents.ts';

/** The backup cannot be used. `fix` tells the operator what to do instead. */
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

export function inUseError(data: string, verb: 'copy' | 'restore'): BackupError {
  const fix = `Stop the gateway and every command that uses the store, then ${verb} again; nothing was changed.`;
  return new BackupError(`The store in ${data} is in use.`, fix);
}

/** A backup that was checked and can be used. */
export interface SoundBackup extends BackupDescription {
  readonly folder: string;
  readonly files: readonly string[];
  /** Digest that identifies the store's secret. */
  readonly pepper: string | undefined;
}

const another = 'Use another backup; nothing was changed.';

/** Reads a backup. Throws if a file is missing or damaged, or if this version cannot use it. */
export async function readBackup(folder: string): Promise<SoundBackup> {
  if (!existsSync(join(folder, descriptionFile))) {
    throw new BackupError(`${folder} is not a backup.`, 'Use a folder that `chat-gateway backup` created.');
  }
  const files = await verifyFiles(folder).catch((cause: unknown) => {
    throw new BackupError(`The backup in ${folder} is damaged: ${(cause as Error).message}.`, another, { cause });
  });
  const description = decodeDescription(await readFile(join(folder, descriptionFile), 'utf8'));
  if (!description || !files.includes(storeFile) || !files.includes(descriptionFile)) {
    throw new BackupError(
      `This version cannot read the backup in ${folder}.`,
      'Restore it with the version that created it.',
    );
  }
  return { ...description, folder, files, pepper: verifyStore(folder, description) };
}

function verifyStore(folder: string, { version }: BackupDescription): string | undefined {
  const facts = factsOf(join(folder, storeFile));
  if (facts.damage !== undefined) throw new BackupError(`The store in ${folder} is damaged: ${facts.damage}.`, another);
  const unknown = facts.migrations.find((name) => !(name in migrations));
  if (unknown === undefined) return facts.pepper;
  throw new BackupError(
    `The backup in ${folder} was created by a newer version of the gateway, ${version} (it has the migration ${unknown}).`,
    'Restore it with that version or a newer one; nothing was changed.',
  );
}
