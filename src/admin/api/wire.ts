import { z } from 'zod';
import { displayName } from '../../config/schema/display-name.ts';
import { breaks } from '../../config/file/wording.ts';

/** The time format of all JSON replies. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}

export const timeSchema = z.iso.datetime().describe('ISO 8601, in UTC.');

/** A time from a client, parsed to milliseconds. */
export const sentTime = z.iso
  .datetime({ offset: true, ...breaks('not_a_time', { example: '2026-01-31T12:00:00Z' }) })
  .transform((text) => Date.parse(text));

/** `since` and `until` of a list. */
export const periodQuery = {
  since: sentTime.optional().describe('Only entries at this time or later.'),
  until: sentTime.optional().describe('Only entries before this time.'),
};

export const versionSchema = z
  .string()
  .describe(
    'Changes with the content of the resource. A write that names it in `If-Match` is refused if it has changed.',
  );

export const moneySchema = z.string().describe('A decimal in the currency of the gateway.');

export const labelSchema = displayName.describe('Name by which you recognise it.');

export const idSchema = z.string().min(1).max(64);
