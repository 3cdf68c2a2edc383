import type { Strings } from '../text/strings.ts';

export const billing = {
  description: ['Every movement of money, line by line.', '逐笔列出的资金变动。'],
} as const satisfies Strings;
