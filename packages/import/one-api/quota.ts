import { amountMax } from '../amounts.ts';
import { decimalText } from 'chat-gateway-figures/money.ts';
import type { FindingList } from '../findings.ts';
import type { FindingSubject } from '../findings.ts';
import type { Ratio } from './ratio.ts';
import { isWhole, wholeOf } from './source.ts';

/** Converts quota of the source into money, exactly or rounded down. */
export function quotaReader(nanoPerQuota: Ratio, findings: FindingList) {
  return function money(cell: string | null | undefined, field: string, subject: FindingSubject): bigint {
    const quota = wholeOf(cell);
    if (!isWhole(cell)) findings.add('amount_unreadable', subject, { field, amount: cell ?? '' });
    const { value, isExact } = nanoPerQuota.ofAmount(quota);
    const amount = value > amountMax ? amountMax : value < -amountMax ? -amountMax : value;
    const params = { field, quota: String(quota), amount: decimalText(amount) };
    if (amount !== value) findings.add('quota_too_large', subject, params);
    else if (!isExact) findings.add('quota_rounded', subject, params);
    return amount;
  };
}

export type QuotaReader = ReturnType<typeof quotaReader>;
