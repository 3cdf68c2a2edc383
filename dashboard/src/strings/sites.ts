import type { Strings } from '../text/strings.ts';

export const sites = {
  description: [
    'Domains this gateway answers on, each with a catalog of its own.',
    '网关应答的域名，各有自己的模型目录。',
  ],
} as const satisfies Strings;
