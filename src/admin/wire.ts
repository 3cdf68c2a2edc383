import { z } from 'zod';
import { displayName } from '../config/display-name.ts';
import { breaks } from '../config/wording.ts';

/** A moment as all our JSON writes it. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export function isoTimeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : isoTime(at);
}

export const timeSchema = z.iso.datetime().describe('ISO 8601, in UTC.');

/** A moment that a client names, as milliseconds. */
export const sentTime = z.iso
  .datetime({ offset: true, ...breaks('not_a_time', { example: '2026-01-31T12:00:00Z' }) })
  .transform((text) => Date.parse(text));

/** `since` and `until` of a list. */
export const periodQuery = {
  since: sentTime.optional().describe('Only what happened at this time or later.'),
  until: sentTime.optional().describe('Only what happened before this time.'),
};

export const versionSchema = z
  .string()
  .describe('Changes with what it says; a write may name it in `If-Match`, and is refused if it is another by then.');

export const moneySchema = z.string().describe('A decimal in the currency of the gateway.');

/** What people call a key or a token. */
export const labelSchema = displayName.describe('How you will recognise it.');

export const idSchema = z.string().min(1).max(64);
