import type { Strings } from '../text/strings.ts';

export const routes = {
  description: [
    'The catalog: models, prices, and which upstreams answer for them.',
    '模型目录：模型、价格以及由哪些上游应答。',
  ],
} as const satisfies Strings;
