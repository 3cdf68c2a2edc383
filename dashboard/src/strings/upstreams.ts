import type { Strings } from '../text/strings.ts';

export const upstreams = {
  description: ['The providers behind this gateway, and how they are.', '网关背后的上游及其状态。'],
} as const satisfies Strings;
