import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DefaultTheme, LocaleConfig } from 'vitepress';

type Section = readonly [title: string, pages: readonly (readonly [title: string, path: string])[]];

/** The order to learn in. Every page is one step of an hour. */
const learn: readonly Section[] = [
  [
    'Start',
    [
      ['Run it', 'start/run'],
      ['Connect a provider', 'start/provider'],
      ['Give a colleague a key', 'start/colleague'],
      ['Put it behind TLS', 'start/tls'],
      ['Back it up', 'start/backup'],
      ['Watch it', 'start/watch'],
      ['Several machines', 'start/machines'],
    ],
  ],
  [
    'Clients',
    [
      ['Claude Code', 'clients/claude-code'],
      ['Codex', 'clients/codex'],
      ['opencode', 'clients/opencode'],
      ['Qwen Code', 'clients/qwen-code'],
      ['Editors', 'clients/editors'],
      ['OpenAI SDK', 'clients/openai-sdk'],
      ['Anthropic SDK', 'clients/anthropic-sdk'],
      ['AI SDK, LangChain, Agents SDK', 'clients/frameworks'],
      ['Methods of the SDKs', 'clients/sdk-methods'],
    ],
  ],
  [
    'Cookbook',
    [
      ['Team keys with limits', 'cookbook/team-keys'],
      ['Local model, cloud fallback', 'cookbook/local-first'],
      ['Resell with prices per group', 'cookbook/resell'],
      ['Strict JSON from any model', 'cookbook/strict-json'],
      ['Coding agents for a company', 'cookbook/coding-agents'],
      ['From SQLite to PostgreSQL', 'cookbook/to-postgresql'],
      ['Rotate secrets', 'cookbook/rotate-secrets'],
      ['A provider outage', 'cookbook/provider-outage'],
    ],
  ],
  [
    'When something fails',
    [
      ['The file was refused', 'faults/config-refused'],
      ['The disk is full', 'faults/disk-full'],
      ['The secret is wrong', 'faults/wrong-secret'],
      ['The database is slow', 'faults/slow-database'],
      ['A provider fails', 'faults/provider-fails'],
      ['Requests wait too long', 'faults/too-much-load'],
      ['The machine is too small', 'faults/small-machine'],
      ['An upgrade is not finished', 'faults/two-versions'],
    ],
  ],
  [
    'Understand',
    [
      ['How it works', 'how-it-works'],
      ['Comparison', 'comparison'],
    ],
  ],
];

const reference: readonly Section[] = [
  [
    'Use',
    [
      ['API', 'api'],
      ['Errors', 'errors'],
      ['Providers with settings of their own', 'providers'],
      ['Translation between formats', 'translation'],
      ['Guarantees', 'guarantees'],
      ['Fallbacks', 'fallbacks'],
      ['Prompt caches', 'prompt-caches'],
      ['Files and batches', 'batches'],
      ['Dashboard', 'dashboard'],
    ],
  ],
  [
    'Operate',
    [
      ['Installation', 'install'],
      ['Configuration', 'configuration'],
      ['Operations handbook', 'operations'],
      ['Upgrading', 'upgrading'],
      ['Compatibility', 'compatibility'],
      ['Scaling', 'scaling'],
      ['Metrics', 'metrics'],
      ['Logs', 'logs'],
      ['Performance', 'performance'],
      ['Admin API', 'admin-api'],
      ['Webhooks', 'webhooks'],
      ['Limits on spend', 'limits'],
      ['E-mail', 'mail'],
    ],
  ],
  [
    'Money',
    [
      ['Prices', 'prices'],
      ['Payments', 'payments'],
      ['Receipts and statements', 'documents'],
      ['Teams, limits and organisations', 'teams'],
    ],
  ],
  [
    'Move here',
    [
      ['From LiteLLM', 'migrate-litellm'],
      ['From new-api or one-api', 'migrate-new-api'],
      ['From Bifrost', 'migrate-bifrost'],
      ['Import command', 'importing'],
      ['Settings for moved clients', 'moving'],
    ],
  ],
  [
    'Project',
    [
      ['Architecture', 'project/architecture'],
      ['Contributing', 'project/contributing'],
      ['Changelog', 'project/changelog'],
      ['Security', 'project/security'],
    ],
  ],
];

const decisions: Section = [
  'Decisions',
  globSync(join(import.meta.dirname, '../decisions/*.md'))
    .toSorted()
    .map((file) => [titleOf(readFileSync(file, 'utf8')), `decisions/${basename(file, '.md')}`]),
];

/** The text of the first heading. */
export function titleOf(page: string): string {
  return /^# (.+)$/m.exec(page)?.[1] ?? '';
}

/** The pages of the tutorial in Chinese. Their paths are those of the English pages, after `zh/`. */
const learnInChinese: Section = [
  '入门教程',
  [
    ['跑起来', 'start/run'],
    ['接入服务商', 'start/provider'],
    ['给同事一个密钥', 'start/colleague'],
    ['启用 TLS', 'start/tls'],
    ['备份', 'start/backup'],
    ['监控', 'start/watch'],
    ['多台机器', 'start/machines'],
  ],
];

const titlesInChinese: Readonly<Record<string, string>> = {
  Clients: '客户端（英文）',
  Cookbook: '实践手册（英文）',
  'When something fails': '故障处理（英文）',
  Understand: '深入理解（英文）',
};

/** The paths of the pages to learn from, in order. */
export const learningOrder: readonly string[] = learn.flatMap(([, pages]) => pages.map(([, path]) => path));

/** The paths of all pages that the navigation of the English edition lists. */
export const sitePages: readonly string[] = [...learn, ...reference].flatMap(([, pages]) =>
  pages.map(([, path]) => path),
);

export const editions: LocaleConfig<DefaultTheme.Config> = {
  root: {
    label: 'English',
    lang: 'en',
    themeConfig: {
      nav: [
        { text: 'Learn', link: '/start/run', activeMatch: '^/(start|clients|cookbook|faults)/' },
        { text: 'How it works', link: '/how-it-works' },
        { text: 'Reference', link: '/configuration' },
        { text: 'API', link: '/api' },
      ],
      sidebar: [
        ...[...learn, ...reference].map((section) => group(section, '/')),
        { ...group(decisions, '/'), collapsed: true },
      ],
    },
  },
  zh: {
    label: '简体中文',
    lang: 'zh-CN',
    description: '公平、精确、多租户的大模型网关。',
    themeConfig: {
      nav: [
        { text: '教程', link: '/zh/start/run', activeMatch: '^/zh/start/' },
        { text: '工作原理（英文）', link: '/how-it-works' },
        { text: '参考（英文）', link: '/configuration' },
        { text: 'API', link: '/api' },
      ],
      sidebar: [
        group(learnInChinese, '/zh/'),
        ...learn
          .filter(([title]) => titlesInChinese[title] !== undefined)
          .map(([title, pages]) => ({ ...group([titlesInChinese[title] ?? title, pages], '/'), collapsed: true })),
      ],
      outline: { level: 'deep', label: '本页内容' },
      docFooter: { prev: '上一页', next: '下一页' },
      langMenuLabel: '切换语言',
      darkModeSwitchLabel: '外观',
      darkModeSwitchTitle: '切换到深色主题',
      lightModeSwitchTitle: '切换到浅色主题',
      sidebarMenuLabel: '目录',
      returnToTopLabel: '回到顶部',
      skipToContentLabel: '跳到正文',
    },
  },
};

function group([text, pages]: Section, base: string): DefaultTheme.SidebarItem {
  return { text, items: pages.map(([title, path]) => ({ text: title, link: base + path })) };
}
