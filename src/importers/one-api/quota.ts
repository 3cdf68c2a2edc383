import { decimalText, type Nano, nanoFrom } from '../../core/money.ts';
import type { FindingList } from '../findings.ts';
import type { FindingSubject } from '../findings.ts';
import type { Ratio } from './ratio.ts';
import { wholeOf } from './source.ts';

/** The largest amount of an entry or a cap. */
const amountMax = nanoFrom('999999999');

/** Converts quota of the source into money, exactly or rounded down. */
export function quotaReader(nanoPerQuota: Ratio, findings: FindingList) {
  return function money(cell: string | null | undefined, field: string, subject: FindingSubject): Nano {
    const quota = wholeOf(cell);
    const { value, isExact } = nanoPerQuota.ofAmount(quota);
    const amount = value > amountMax ? amountMax : value < -amountMax ? -amountMax : value;
    const params = { field, quota: String(quota), amount: decimalText(amount) };
    if (amount !== value) findings.add('quota_too_large', subject, params);
    else if (!isExact) findings.add('quota_rounded', subject, params);
    return amount;
  };
}

export type QuotaReader = ReturnType<typeof quotaReader>;
