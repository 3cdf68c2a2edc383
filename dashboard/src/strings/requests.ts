import type { Strings } from '../text/strings.ts';

export const requests = {
  description: ['Every request of this account, newest first.', '此账户的所有请求，最新的在前。'],
} as const satisfies Strings;
