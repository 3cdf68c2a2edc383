import type { Strings } from '../text/strings.ts';

export const overview = {
  description: ['Balance, spend and traffic of this account.', '此账户的余额、消费与流量。'],
} as const satisfies Strings;
