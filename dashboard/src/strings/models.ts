import type { Strings } from '../text/strings.ts';

export const models = {
  description: ['What this account can call, at which price, and how.', '此账户可调用的模型、价格与用法。'],
} as const satisfies Strings;
