import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, test, vi } from 'vitest';
import { createMarkdownRenderer, disposeMdItInstance } from 'vitepress';
import site from '../docs/.vitepress/config.ts';
import { editions, learningOrder, sitePages } from '../docs/.vitepress/navigation.ts';
import { wordsOf } from '../docs/.vitepress/search-words.ts';
import { launchableAgents } from '../src/cli/launch/agents.ts';
import { allCommands } from '../src/cli/program.ts';
import { snippet } from 'chat-formats/snippets/snippet.ts';
import { startTestGateway } from '../test/gateways/gateway.ts';
import { codeBlocks } from './code-blocks.ts';

const blocks = codeBlocks(['README.md', 'docs/{start,clients,cookbook,faults}/*.md', 'docs/*.md', 'deploy/README.md']);
/** Lines that begin with the command, after variables and `npx`, with their continuations. */
const commandLine = /^ *(?:[A-Z_]+=\S+ )*(?:npx )?chat-gateway ((?:[^\n\\]|\\\n|\\.)*)/gm;
const sources = globSync(['*.md', 'docs/**/*.md', 'deploy/README.md'], {
  exclude: ['docs/dist/**', 'docs/decisions/**'],
});
const commands = [
  ...blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, text }) => [...text.matchAll(commandLine)].map(([, words = '']) => ({ page, words }))),
  // In a sentence: `…` stands for any words, a capital word for a value, and `\|` for a choice in a table.
  ...sources.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`(?:npx )?chat-gateway ([a-z][^`]*)`/g)].map(([, words = '']) => ({
      page,
      words: words.replaceAll(/\\\|\S*|[[\]]/g, ''),
    })),
  ),
];

test('the pages have many commands', () => {
  expect(commands.length).toBeGreaterThan(60);
});

describe('a command in the documentation exists with its options', async () => {
  const program = await allCommands();
  test.each(commands)('$page: $words', ({ words }) => {
    const [before = ''] = words
      .replaceAll('\\\n', ' ')
      .replaceAll(/"\$\([^"]*\)"/g, 'VALUE')
      .split(/\s(?:#|--\s|&&|\|\||[|>&;])/);
    const names = [...before.matchAll(/(?:^|\s)([a-z][a-z-]*)(?=\s|$)/g)].map(([, name = '']) => name);
    const command = names.reduce<Command>(
      (parent, name) => parent.commands.find((each) => each.name() === name) ?? parent,
      program,
    );
    expect(command !== program || before.includes('--version'), before).toBe(true);
    const known = [command, program].flatMap(({ options }) => options.flatMap(({ long, short }) => [long, short]));
    const used = [...before.matchAll(/\s(--[a-z][a-z0-9-]*)/g)].map(([, option]) => option);
    expect(used.filter((option) => !known.includes(option) && option !== '--help')).toEqual([]);
  });
});

test('settings and Python programs of the pages about clients are those that the dashboard and `launch` use', () => {
  const [address, model] = ['https://gateway.example.com', 'large'];
  const [chat, messages] = [
    { endpoint: 'chat', baseUrl: `${address}/v1`, model },
    { endpoint: 'messages', baseUrl: `${address}/anthropic`, model },
  ] as const;
  const limits = { contextWindow: 200_000, outputTokens: 32_000 };
  const expected = {
    'docs/clients/codex.md': ['toml', snippet('Codex', { ...chat, endpoint: 'responses' })],
    'README.md': [
      'toml',
      snippet('Codex', { endpoint: 'responses', baseUrl: 'http://127.0.0.1:8080/v1', model: 'sim-tools' }),
    ],
    'docs/clients/opencode.md': ['json', snippet('opencode', { ...chat, limits })],
    'docs/clients/openai-sdk.md': ['python', snippet('openai (Python)', chat)],
    'docs/clients/anthropic-sdk.md': ['python', snippet('anthropic (Python)', messages)],
  };
  for (const [page, [language, text = '']] of Object.entries(expected)) {
    const [block] = blocks.filter((each) => each.page === page && each.language === language);
    const same = language === 'json' ? (json: string) => JSON.parse(json) as unknown : (code: string) => code.trimEnd();
    expect(same(block?.text ?? ''), page).toEqual(same(text));
  }
  const access = {
    url: address,
    messagesPrefix: '/anthropic',
    key: '$GATEWAY_KEY',
    model,
    limits: { contextWindow: 200_000, outputTokens: 32_000 },
  };
  for (const [page, agent] of [
    ['claude-code', 'claude'],
    ['qwen-code', 'qwen'],
  ] as const) {
    const text = blocks
      .filter((block) => block.page === `docs/clients/${page}.md`)
      .map((block) => block.text)
      .join('');
    const exported = [...text.matchAll(/^export (\w+)="(.*?)"/gm)].map(([, name, value]) => [name, value]);
    const { ANTHROPIC_DEFAULT_HAIKU_MODEL: small, ...set } = Object.fromEntries(exported) as Record<string, string>;
    expect(small).toBe(agent === 'claude' ? 'small' : undefined);
    expect(launchableAgents[agent]?.environment(access)).toMatchObject(set);
    expect(Object.keys(set).length).toBeGreaterThan(2);
  }
});

test('every page of the tutorial is in the navigation, and every entry has a page', () => {
  const written = globSync('docs/{start,clients,cookbook,faults}/*.md').map((page) => page.slice(5, -3));
  const grouped = learningOrder.filter((path) => path.includes('/'));
  expect(new Set(grouped)).toEqual(new Set(written));
});

test('every page of docs/ is in the navigation', () => {
  const written = globSync('docs/*.md').map((page) => page.slice(5, -3));
  expect(written.filter((page) => page !== 'index' && !sitePages.includes(page))).toEqual([]);
});

describe('the Chinese tutorial has the code blocks of the English one', () => {
  test.each(learningOrder.filter((path) => path.startsWith('start/')))('%s', (path) => {
    const [english, chinese] = ['docs', 'docs/zh'].map((folder) => codeOf(`${folder}/${path}.md`));
    expect(english).not.toEqual([]);
    expect(chinese).toEqual(english);
  });
});

function codeOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```.+\n[^]*?^```$/gm)].map(([block]) => block);
}

test('the Chinese navigation has every page of the Chinese tutorial', () => {
  const listed = JSON.stringify(editions['zh']?.themeConfig?.sidebar);
  const written = globSync('docs/zh/start/*.md').map((page) => page.slice('docs'.length, -'.md'.length));
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter((page) => !listed.includes(`"${page}"`))).toEqual([]);
});

test('a search finds two Chinese characters in a row, and words of other scripts', () => {
  expect(wordsOf('备份恢复，用 backup。')).toEqual(['备份', '份恢', '恢复', '用', 'backup']);
});

test('the site does not show the marks of code blocks', async () => {
  disposeMdItInstance();
  const markdown = await createMarkdownRenderer('docs', site.markdown);
  const render = (mark: string) => markdown.render(`\`\`\`sh${mark}\nls\n\`\`\`\n`);
  const marks = new Set(blocks.map(({ mark }) => mark).filter((mark) => mark !== '' && !mark.startsWith('[')));
  expect(marks).toContain('run');
  for (const mark of marks) expect(render(` ${mark}`), mark).toBe(render(''));
});

test('a busy machine builds the same pages as an idle one', async () => {
  const render = async (): Promise<string> => {
    disposeMdItInstance();
    const markdown = await createMarkdownRenderer('docs', site.markdown);
    return markdown.render(readFileSync('docs/webhooks.md', 'utf8'), { relativePath: 'webhooks.md' });
  };
  const idle = await render();
  let nowMs = Date.now();
  // Whatever looks at the clock finds a second gone.
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (nowMs += 1000));
  const busy = await render().finally(() => clock.mockRestore());
  expect(busy).toBe(idle);
});

test('every link of the built site leads to something', async ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-site-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await promisify(execFile)('npm', ['run', 'build:docs', '--', '--outDir', folder]);
  const gateway = await startTestGateway(undefined, { docs: folder });
  onTestFinished(() => gateway.stop());
  const files = globSync('**/*.{html,md,txt}', { cwd: folder });
  /** Each address with the page that links to it. The loop also visits what it adds. */
  const found = new Map(files.map((file) => [`/docs/${file.replace(/(?:index)?\.html$/, '')}`, 'the site']));
  const dead: string[] = [];
  for (const [address, page] of found) {
    const { status, text, headers } = await gateway.get(address);
    if (status !== 200) dead.push(`${page} -> ${address}`);
    for (const link of linksIn(text, headers.get('content-type') ?? '')) {
      const { origin, pathname } = new URL(link, gateway.url + address);
      if (origin === gateway.url && !found.has(pathname)) found.set(pathname, address);
    }
  }
  expect(files.length).toBeGreaterThan(200);
  expect([...found.keys()]).toEqual(expect.arrayContaining(['/docs/zh/', '/docs/start/run.md', '/docs/api']));
  expect(dead).toEqual([]);
});

function linksIn(text: string, contentType: string): readonly string[] {
  if (contentType.startsWith('text/html'))
    return [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
  if (!/markdown|plain/.test(contentType)) return [];
  const prose = text.replaceAll(/^( *)```[^]*?^\1```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}
