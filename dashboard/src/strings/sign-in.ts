import type { Strings } from '../text/strings.ts';

export const signIn = {
  title: ['Sign in', '登录'],
} as const satisfies Strings;
