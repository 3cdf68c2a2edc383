import type { Strings } from '../../text/strings.ts';

/** The list of code batches. Loaded with it. */
export const texts = {
  withdraw: ['Withdraw unused', '作废未使用的'],
  withdrawMany: [
    { one: 'Withdraw the unused codes of {count} batch?', other: 'Withdraw the unused codes of {count} batches?' },
    '作废 {count} 个批次中未使用的兑换码？',
  ],
  withdrawnMany: [
    {
      one: 'The unused codes of {count} batch are withdrawn',
      other: 'The unused codes of {count} batches are withdrawn',
    },
    '已作废 {count} 个批次中未使用的兑换码',
  ],
} as const satisfies Strings;
