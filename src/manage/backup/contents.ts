import { z } from 'zod';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';

/** The parts of a backup, all in one folder, next to `SHA256SUMS`. */
export const storeFile = 'gateway.db';
export const journalFolder = 'journal';
export const secretFile = 'secret.key';
export const descriptionFile = 'backup.json';

/** Increased when an older version can no longer read a backup. */
const format = 1;

const descriptionSchema = z.object({
  format: z.literal(format),
  version: z.string(),
  taken_at: z.iso.datetime(),
  /** Whether the backup contains the secret key that decrypts it. */
  has_secret: z.boolean(),
});

export type BackupDescription = Omit<z.output<typeof descriptionSchema>, 'format'>;

export function encodeDescription(description: BackupDescription): string {
  return `${JSON.stringify({ format, ...description }, null, 2)}\n`;
}

/** `undefined` if the text is not a description, or has another format. */
export function decodeDescription(text: string): BackupDescription | undefined {
  return descriptionSchema.safeParse(foreignJson(text)).data;
}
