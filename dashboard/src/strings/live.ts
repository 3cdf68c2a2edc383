import type { Strings } from '../text/strings.ts';

export const live = {
  description: ['What runs and waits at this moment.', '此刻正在运行与等待的请求。'],
} as const satisfies Strings;
