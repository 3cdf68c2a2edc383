import type { Strings } from '../text/strings.ts';

/** Words of the live page that other pages use too. */
export const live = {
  running: ['In flight', '处理中'],
  waiting: ['Waiting', '排队中'],
} as const satisfies Strings;
