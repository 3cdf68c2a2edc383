import type { Strings } from '../text/strings.ts';

export const keys = {
  description: ['Each program that calls the API has a key of its own.', '每个调用 API 的程序使用各自的密钥。'],
} as const satisfies Strings;
