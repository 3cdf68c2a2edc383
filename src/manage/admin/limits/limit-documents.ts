import { z } from 'zod';
import { limitPeriods, limitText, type Limit } from '../../../core/limit.ts';
import { decimalText } from '../../../core/money.ts';
import { isoTimeOrNull, moneySchema, timeSchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';
import { type LimitedSubject, readLimits } from '../../../money/billing/budgets/limit-reading.ts';

const limitSchema = z.strictObject({
  amount: moneySchema.describe('The most that may be spent in one period.'),
  period: z.enum(limitPeriods).describe('Weeks begin on Monday. `total`: it never starts again.'),
  notify_at: z.array(z.string()).optional().describe('Shares of the amount at which people are notified.'),
});

const windowSchema = z.strictObject({
  period: z.enum(limitPeriods),
  amount: moneySchema,
  spent: moneySchema.describe('Charged in this period.'),
  reserved: moneySchema.describe('Reserved for running requests, and ahead of them.'),
  left: moneySchema.describe('The rest of the amount, at least 0.'),
  resets_at: timeSchema.nullable().describe('When the next period begins. Null: never.'),
});

/** The `limits` of an account, a member or an organisation. */
export const limitsField = { limits: z.array(limitSchema).describe('Limits on spend. All of them hold at once.') };

/** The remaining amount of each limit in its current period. */
export const windowsField = {
  windows: z.array(windowSchema).describe('Each limit in its current period.'),
};

export const limitEntries = [
  { name: 'SpendLimit', schema: limitSchema },
  { name: 'LimitWindow', schema: windowSchema },
];

export type LimitWindowDocument = z.input<typeof windowSchema>;

export function limitsDocument(limits: readonly Limit[]): z.input<typeof limitSchema>[] {
  return limits.map((limit) => {
    const { notify_at: notifyAt, ...text } = limitText(limit);
    return { ...text, ...(notifyAt && { notify_at: [...notifyAt] }) };
  });
}

/** Reads the windows of some accounts, members or organisations at once. */
export async function limitWindows(
  { store, clock }: Pick<AdminParts, 'store' | 'clock'>,
  subjects: readonly LimitedSubject[],
): Promise<readonly LimitWindowDocument[][]> {
  const read = await readLimits(store, subjects, clock.now());
  return read.map((windows) =>
    windows.map(({ limit, period, spent, reserved, free, resetsAt }) => {
      return {
        period,
        amount: decimalText(limit),
        spent: decimalText(spent),
        reserved: decimalText(reserved),
        left: decimalText(free > 0n ? free : 0n),
        resets_at: isoTimeOrNull(resetsAt),
      };
    }),
  );
}
