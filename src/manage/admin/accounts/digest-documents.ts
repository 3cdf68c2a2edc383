import { z } from 'zod';
import type { Cadence } from '../../../operate/notifications/digests/digests.ts';

const names = { off: undefined, daily: 'day', weekly: 'week' } as const;

export const digestSchema = z
  .enum(['off', 'daily', 'weekly'])
  .describe('How often a summary e-mail is sent: requests, errors, spend, balance, models, alerts.');

type DigestName = z.output<typeof digestSchema>;

export function cadenceNamed(name: DigestName): Cadence | undefined {
  return names[name];
}

export function digestName(cadence: Cadence | undefined): DigestName {
  return cadence === undefined ? 'off' : cadence === 'day' ? 'daily' : 'weekly';
}
