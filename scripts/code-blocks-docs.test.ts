import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CodeBlock, codeBlocks, referencePages } from './code-blocks.ts';
import { configurationSchema } from './configuration-schema.ts';

const blocks = codeBlocks(['README.md', 'docs/**/*.md']);
const schema = JSON.parse(configurationSchema()) as { properties: object };
const sections = Object.keys(schema.properties);

const proofs = 'scripts/code-block-proofs-docs.test.ts';

/** The tests that run the blocks with marks. */
const runs: readonly (readonly [pages: RegExp, by: string])[] = [
  [/^docs\/(start|faults)\//, 'scripts/handbook.process.test.ts'],
  // It compares them with those of docs/start.
  [/^docs\/zh\/start\//, 'scripts/site-docs.test.ts'],
  [/^docs\/(cookbook\/.*|operations\.md)/, 'scripts/documented-commands.process.test.ts'],
  [new RegExp(`^docs/(${referencePages.join('|')})\\.md`), 'scripts/documented-commands.process.test.ts'],
  [/^docs\/migrate-(litellm|bifrost)\.md/, 'test/clients/moved-in.test.ts'],
  [/^docs\/migrate-new-api\.md/, 'src/cli/import/migrate-new-api.process.test.ts'],
];

/** Other programs that execute or compare all of these blocks. Each names the page or its folder. */
const elsewhere: readonly (readonly [pages: RegExp, languages: readonly string[], by: string])[] = [
  [/^(README\.md|docs\/clients\/)/, ['ts'], 'test/clients/documented.test.ts'],
  [/^docs\/clients\//, ['python', 'toml', 'json'], 'scripts/site-docs.test.ts'],
  [/^README\.md/, ['toml'], 'scripts/site-docs.test.ts'],
  [/^(README\.md|docs\/clients\/)/, ['sh'], 'scripts/client-commands.process.test.ts'],
  [/^docs\/(zh\/)?start\/tls\.md/, ['nginx', 'text', 'yaml', 'sh'], 'deploy/try/proxies.sh'],
];

/** Pages of which a program proves this number of blocks. `code-block-proofs` is the test of this folder. */
const counted: readonly (readonly [page: string, language: string, count: number, by: string])[] = [
  ['README.md', 'json', 1, proofs],
  ['docs/errors.md', 'json', 2, proofs],
  ['docs/guarantees.md', 'json', 1, proofs],
  ['docs/metrics.md', 'yaml', 1, proofs],
  ['docs/prices.md', 'sh', 1, proofs],
  // The first one: src/cli/catalog/prices.test.ts.
  ['docs/prices.md', 'text', 2, proofs],
  ['docs/translation.md', 'json', 2, proofs],
  ['docs/webhooks.md', 'http', 1, proofs],
  ['docs/webhooks.md', 'python', 1, proofs],
  ['docs/webhooks.md', 'js', 1, 'src/operate/notifications/webhooks/webhook.test.ts'],
];

/** Commands that the first pages show without a mark: installing, testing, and measuring beside other gateways. */
const unmarked: readonly (readonly [page: string, command: RegExp])[] = [
  ['README.md', /^npm ci && npm (start|test)$/m],
  ['docs/comparison.md', /^npm run bench\b/],
];

test('every code block of the documentation is proven, or says why it is not', () => {
  expect(blocks.length).toBeGreaterThan(200);
  const unproven = blocks.filter((block) => !isProven(block));
  expect(unproven.map(({ page, line, language, mark }) => `${page}:${line} ${language} ${mark}`)).toEqual([]);
});

test('every fence begins or ends one of the blocks', () => {
  for (const [page, own] of Map.groupBy(blocks, (block) => block.page)) {
    const fences = readFileSync(page, 'utf8').match(/^\s*(`{3}|~{3})/gm) ?? [];
    expect(fences, page).toHaveLength(2 * own.length);
  }
});

function isProven(block: CodeBlock): boolean {
  const { page, language, mark } = block;
  if (/^(run|file|output|firing|over)\b/.test(mark)) return isRun(block);
  if (mark.startsWith('not-run')) return /^not-run="\w[^"]{9,}"$/.test(mark);
  if (language === 'yaml' && isConfiguration(block)) return true;
  if (counted.some(([path, name]) => path === page && name === language)) return true;
  if (unmarked.some(([path, command]) => path === page && command.test(block.text))) return true;
  return elsewhere.some(([pages, names]) => pages.test(page) && names.includes(language));
}

/** The handbook finds marks at the beginning of a line only. */
function isRun({ page, indent, mark }: CodeBlock): boolean {
  return (
    indent === 0 &&
    /^(run(=postgres|=nginx|=pg_dump)?|file=\S+|output|firing|over)$/.test(mark) &&
    runs.some(([path]) => path.test(page))
  );
}

test('the programs that prove blocks read those pages', () => {
  for (const [pages, by] of [...runs, ...elsewhere.map(([pages, , by]) => [pages, by] as const)]) {
    const program = readFileSync(by, 'utf8');
    const paths = [...new Set(blocks.map(({ page }) => page).filter((page) => pages.test(page)))];
    expect(paths, String(pages)).not.toEqual([]);
    const folder = (page: string) => dirname(page).replace('docs/', '');
    const unread = paths.filter(
      (page) => ![page, folder(page), basename(page, '.md')].some((name) => program.includes(name)),
    );
    expect(unread, by).toEqual([]);
  }
});

test('a program that proves a number of blocks has no more of them', () => {
  for (const [page, language, count, by] of counted) {
    const found = blocks.filter((block) => block.page === page && block.language === language && block.mark === '');
    expect(
      found.filter((block) => language !== 'yaml' || !isConfiguration(block)),
      page,
    ).toHaveLength(count);
    expect(readFileSync(by, 'utf8')).toContain(page);
  }
});

test('a block of expected output follows a block that runs', () => {
  const lonely = blocks.filter(({ page, mark }, index) => {
    const before = blocks[index - 1];
    return mark === 'output' && !(before?.page === page && before.mark.startsWith('run'));
  });
  expect(lonely).toEqual([]);
});

describe('a part of a configuration file in the documentation is valid', () => {
  const isValid = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  const parts = blocks.filter((block) => block.language === 'yaml' && isConfiguration(block));
  test.each(parts)('$page:$line', ({ text }) => {
    isValid(parse(text));
    // A part need not have all settings.
    expect((isValid.errors ?? []).filter(({ keyword }) => keyword !== 'required')).toEqual([]);
  });
});

function isConfiguration({ text }: CodeBlock): boolean {
  const value: unknown = parse(text);
  return typeof value === 'object' && value !== null && Object.keys(value).every((name) => sections.includes(name));
}
