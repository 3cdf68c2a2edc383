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
  ['Understand', [['How it works', 'how-it-works']]],
];

const reference: readonly Section[] = [
  [
    'Use',
    [
      ['Errors', 'errors'],
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
        { text: 'Learn', link: '/start/run', activeMatch: '^/(start|clients|cookbook)/' },
        { text: 'How it works', link: '/how-it-works' },
        { text: 'Reference', link: '/configuration' },
        { text: 'API', link: '/api', target: '_self' },
      ],
      sidebar: [
        ...[...learn, ...reference].map((section) => group(section, '/')),
        { ...group(decisions, '/'), collapsed: true },
      ],
    },
  },
};

function group([text, pages]: Section, base: string): DefaultTheme.SidebarItem {
  return { text, items: pages.map(([title, path]) => ({ text: title, link: base + path })) };
}
