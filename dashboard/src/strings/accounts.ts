import type { Strings } from '../text/strings.ts';

export const accounts = {
  description: ['Everyone who pays for answers here.', '在此付费使用的所有账户。'],
} as const satisfies Strings;
