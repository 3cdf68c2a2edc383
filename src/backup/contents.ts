import { z } from 'zod';

/** What a backup is made of. All of it lies in one folder, beside `SHA256SUMS`. */
export const storeFile = 'gateway.db';
export const journalFolder = 'journal';
export const secretFile = 'secret.key';
export const descriptionFile = 'backup.json';

/** Raised when an older version could no longer make sense of a backup. */
const format = 1;

const descriptionSchema = z.object({
  format: z.literal(format),
  /** Of the gateway that took it. */
  version: z.string(),
  taken_at: z.iso.datetime(),
  /** Whether the key that opens it is in it. */
  has_secret: z.boolean(),
});

/** What a backup says of itself. */
export type BackupDescription = Omit<z.output<typeof descriptionSchema>, 'format'>;

export function encodeDescription(description: BackupDescription): string {
  return `${JSON.stringify({ format, ...description }, null, 2)}\n`;
}

/** `undefined` when it is no description, or one of another kind of backup. */
export function decodeDescription(text: string): BackupDescription | undefined {
  try {
    return descriptionSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
