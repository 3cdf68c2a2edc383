import type { Strings } from '../text/strings.ts';

export const packages = {
  description: [
    'Which models an account may call, and its share when slots run out.',
    '账户可调用的模型，以及资源紧张时的份额。',
  ],
} as const satisfies Strings;
