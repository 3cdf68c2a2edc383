import { z } from 'zod';
import { whole } from './fields.ts';
import { isTimeZone } from '../../../core/time/cap-period.ts';
import { amount } from './values/decimal.ts';
import { isAddressOrRange } from './egress.ts';
import { modelPattern } from './names.ts';
import { breaks } from '../file/wording.ts';

export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, breaks('not_a_time_zone', { example: 'Europe/Berlin' }))
  .meta({ title: 'a time zone', sample: 'UTC, Europe/Berlin, Asia/Shanghai' });

export const keyModels = z.array(modelPattern).min(1).max(1000);

export const spendCap = amount;

export const capPeriod = z.enum(['day', 'week', 'month']);

/** How many requests of a key run at once. */
export const maxConcurrency = whole(1, 10_000);

export const keyAddresses = z
  .array(
    z
      .string()
      .trim()
      .max(64)
      .refine(isAddressOrRange, breaks('not_an_address_or_range'))
      .meta({ title: 'an address range', sample: '203.0.113.7, 10.1.0.0/16, fd12::/64' }),
  )
  .min(1)
  .max(100);
