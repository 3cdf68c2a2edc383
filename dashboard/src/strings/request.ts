import type { Strings } from '../text/strings.ts';

export const request = {
  description: ['What happened to one request, from waiting to payment.', '一个请求从排队到结算的全过程。'],
} as const satisfies Strings;
