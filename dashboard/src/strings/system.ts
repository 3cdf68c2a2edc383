import type { Strings } from '../text/strings.ts';

export const system = {
  description: ['Version, replicas, store and configuration.', '版本、副本、存储与配置。'],
} as const satisfies Strings;
