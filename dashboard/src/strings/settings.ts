import type { Strings } from '../text/strings.ts';

export const settings = {
  profileText: ['Who you are on this gateway.', '您在此网关上的身份。'],
} as const satisfies Strings;
