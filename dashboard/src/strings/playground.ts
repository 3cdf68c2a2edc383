import type { Strings } from '../text/strings.ts';

export const playground = {
  description: ['Try a model before you write code.', '在编写代码之前试用模型。'],
} as const satisfies Strings;
