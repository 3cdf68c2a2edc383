import { z } from 'zod';
import { limitFrom, limitPeriods } from '../../../core/limit.ts';
import { amount } from './values/decimal.ts';
import { breaks } from '../file/wording.ts';

const share = z
  .string(breaks('decimal_without_quotes'))
  .regex(/^(0\.\d{1,2}|1)$/, breaks('not_a_share'))
  .refine((text) => Number(text) > 0, breaks('not_a_share'))
  .meta({ title: 'a share in quotes', sample: '"0.5", "0.8"' });

const spendLimit = z
  .strictObject({
    amount: amount.describe('The most that may be spent in one period.'),
    period: z
      .enum(limitPeriods)
      .describe('How often it starts again: at midnight in the `time_zone`, weeks on Monday; `total`: never.'),
    notify_at: z
      .array(share)
      .max(5)
      .optional()
      .describe('Shares of the amount at which people are notified, such as "0.8" for 80 %.'),
  })
  .transform(limitFrom);

/** Several limits hold at once, at most one for each period. */
export const spendLimits = z
  .array(spendLimit)
  .max(limitPeriods.length)
  .refine((limits) => new Set(limits.map(({ period }) => period)).size === limits.length, breaks('period_twice'));
