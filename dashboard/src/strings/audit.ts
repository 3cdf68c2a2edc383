import type { Strings } from '../text/strings.ts';

export const audit = {
  description: ['Who changed what, and when. Nothing here can be altered.', '谁在何时更改了什么。此处记录不可修改。'],
} as const satisfies Strings;
