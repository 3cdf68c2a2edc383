import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createToken } from '../src/admin/tokens/tokens.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { sendWebhook } from '../src/notifications/webhooks/webhook.ts';
import { answer } from '../test/fakes/fake-provider.ts';
import { command } from '../test/gateways/command.ts';
import { joined, model, startTestGateway } from '../test/gateways/gateway.ts';
import { startTranslatingGateway } from '../test/translation/translating-gateway.ts';
import { type CodeBlock, codeBlocks, referencePages } from './code-blocks.ts';
import { configurationSchema } from './configuration-schema.ts';

const blocks = codeBlocks(['README.md', 'docs/**/*.md']);
const schema = JSON.parse(configurationSchema()) as { properties: object };
const sections = Object.keys(schema.properties);

/** The tests that run the blocks with the marks `run`, `file=NAME` and `output`. */
const runs: readonly (readonly [pages: RegExp, by: string])[] = [
  [/^docs\/(start|faults)\//, 'scripts/handbook.process.test.ts'],
  // It compares them with those of docs/start.
  [/^docs\/zh\/start\//, 'scripts/site-docs.test.ts'],
  [/^docs\/(cookbook\/.*|operations\.md)/, 'scripts/documented-commands.process.test.ts'],
  [new RegExp(`^docs/(${referencePages.join('|')})\\.md`), 'scripts/documented-commands.process.test.ts'],
  [/^docs\/migrate-(litellm|bifrost)\.md/, 'test/clients/moved-in.test.ts'],
  [/^docs\/migrate-new-api\.md/, 'src/cli/import/migrate-new-api.process.test.ts'],
];

/** Other programs that execute or compare blocks. Each names the page or its folder. */
const elsewhere: readonly (readonly [pages: RegExp, languages: readonly string[], by: string])[] = [
  [/^(README\.md|docs\/clients\/)/, ['ts'], 'test/clients/documented.test.ts'],
  [/^docs\/clients\//, ['python', 'toml', 'json'], 'scripts/site-docs.test.ts'],
  [/^README\.md/, ['toml'], 'scripts/site-docs.test.ts'],
  [/^(README\.md|docs\/clients\/)/, ['sh'], 'scripts/client-commands.process.test.ts'],
  [/^docs\/(zh\/)?start\/tls\.md/, ['nginx', 'text', 'yaml', 'sh'], 'deploy/try/proxies.sh'],
  [/^docs\/prices\.md/, ['text'], 'src/cli/catalog/prices.test.ts'],
  [/^docs\/webhooks\.md/, ['js'], 'src/notifications/webhooks/webhook.test.ts'],
];

/** Blocks that a test of this file proves. */
const here: readonly (readonly [page: string, language: string])[] = [
  ['README.md', 'json'],
  ['docs/errors.md', 'json'],
  ['docs/guarantees.md', 'json'],
  ['docs/metrics.md', 'yaml'],
  ['docs/translation.md', 'json'],
  ['docs/webhooks.md', 'http'],
  ['docs/webhooks.md', 'python'],
];

/** A page of another owner, without marks: `npm run bench` beside other gateways takes minutes. */
const benches = 'docs/comparison.md';

test('every code block of the documentation is proven, or says why it is not', () => {
  expect(blocks.length).toBeGreaterThan(200);
  const unproven = blocks.filter((block) => !isProven(block));
  expect(unproven.map(({ page, line, language, mark }) => `${page}:${line} ${language} ${mark}`)).toEqual([]);
});

function isProven(block: CodeBlock): boolean {
  const { page, language, mark } = block;
  if (/^(run|file|output)\b/.test(mark)) return isRun(block);
  if (mark.startsWith('not-run')) return /^not-run="\w[^"]{9,}"$/.test(mark);
  if (language === 'yaml' && isConfiguration(block)) return true;
  if (here.some(([path, name]) => path === page && name === language)) return true;
  if (elsewhere.some(([pages, names]) => pages.test(page) && names.includes(language))) return true;
  return page === benches && /^npm run bench\b/.test(block.text);
}

/** The handbook finds marks at the beginning of a line only. */
function isRun({ page, indent, mark }: CodeBlock): boolean {
  return (
    indent === 0 &&
    /^(run(=postgres|=nginx|=pg_dump)?|file=\S+|output)$/.test(mark) &&
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

function shown(page: string, language: string): readonly string[] {
  const texts = blocks.filter((block) => block.page === page && block.language === language).map(({ text }) => text);
  expect(texts, `${page} ${language}`).not.toEqual([]);
  return texts;
}

function shownJson(page: string): readonly Record<string, unknown>[] {
  return shown(page, 'json').map((text) => JSON.parse(text) as Record<string, unknown>);
}

test('a failing command prints the JSON of README.md', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-docs-'));
  const { err } = await command('keys', 'show', 'laptop', '--json', '--data', join(folder, 'data'));
  rmSync(folder, { recursive: true });
  expect(shownJson('README.md')).toEqual([JSON.parse(err)]);
});

test('the gateway returns the errors of docs/errors.md', async () => {
  const gateway = await startTestGateway();
  const { store, pepper } = gateway.gateway;
  const description = { name: 'docs', role: 'owner', accountId: undefined } as const;
  const token = await createToken({ store, pepper, clock: systemClock }, description);
  const replies = [
    await gateway.post('/v1/chat/completions', { model: 'plain', messages: 'none' }),
    await gateway.post('/admin/v1/accounts', { name: 'x'.repeat(65) }, { authorization: `Bearer ${token.secret}` }),
  ];
  await gateway.stop();
  expect(replies.map(({ json }) => withoutTexts(json))).toEqual(shownJson('docs/errors.md').map(withoutTexts));
});

function withoutTexts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, inner: unknown) => (name === 'message' ? typeof inner : inner));
}

test('the request of docs/guarantees.md gets JSON without its fence', async () => {
  const gateway = await startTestGateway((base) => ({ ...base, models: [model('acme-large')] }));
  gateway.provider.respond('acme-large', answer('```json\n{"colour": "red"}\n```'));
  const [request = {}] = shownJson('docs/guarantees.md');
  expect(joined(await gateway.chat(request))).toBe('{"colour": "red"}');
  await gateway.stop();
});

test('the scrape configuration of docs/metrics.md names the health port', () => {
  const [text = ''] = shown('docs/metrics.md', 'yaml');
  expect(parse(text)).toEqual({
    scrape_configs: [{ job_name: 'chat-gateway', static_configs: [{ targets: ['gateway.internal:8081'] }] }],
  });
});

test('a provider of the messages format receives what docs/translation.md shows', async () => {
  const gateway = await startTranslatingGateway({
    models: [model('acme-large', { routes: [{ upstream: 'messages', model: 'large-v3' }] })],
  });
  const [request, sent] = shownJson('docs/translation.md');
  const reply = gateway.chat(request ?? {});
  const { body } = await gateway.provider.call('large-v3').received;
  expect(body).toEqual(sent);
  await reply.catch(() => undefined);
  await gateway.stop();
});

test('a webhook has the headers and fields of docs/webhooks.md, and its Python function checks the signature', async () => {
  const [example = ''] = shown('docs/webhooks.md', 'http');
  const [head = '', body = ''] = example.split('\n\n');
  const event = JSON.parse(body) as {
    id: string;
    type: 'balance.low';
    created_at: string;
    account_id: string;
    data: object;
  };
  const received = Promise.withResolvers<{ headers: Record<string, unknown>; text: string }>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      received.resolve({ headers: request.headers, text });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { id, type: kind, data, account_id: accountId } = event;
  const message = {
    url: `http://127.0.0.1:${port}/gateway`,
    event: { id, kind, accountId, at: Date.parse(event.created_at), data: { ...data } },
    currency: 'USD',
    attempt: 1,
    allow: ['127.0.0.1'],
    secrets: ['secret'],
  };
  await sendWebhook(message, { clock: systemClock });
  const { headers, text } = await received.promise;
  server.close();
  expect(text).toBe(body.trim());
  const lines = head
    .split('\n')
    .slice(1)
    .map((line) => line.split(': ') as [string, string]);
  const { 'x-gateway-signature': signature, ...others } = Object.fromEntries(lines);
  expect(headers).toMatchObject(others);
  expect(headers['x-gateway-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  expect(signature).toMatch(/^t=\d+,v1=/);
  checkPython(text, String(headers['x-gateway-signature']));
});

function checkPython(body: string, header: string): void {
  const [code = ''] = shown('docs/webhooks.md', 'python');
  const [time = ''] = /\d+/.exec(header) ?? [];
  expect(header).toContain(createHmac('sha256', 'secret').update(`${time}.${body}`).digest('hex'));
  const calls = [
    ['body', 'secret', 'None'],
    ['body', 'other', 'None'],
    ['body + b" "', 'secret', 'None'],
    ['body', 'secret', `${time} + 400`],
  ].map(([text, secret, now]) => `print(is_from_gateway(${text}, header, "${secret}", ${now}))`);
  const program = `import sys\n${code}\nheader = sys.argv[1]\nbody = sys.argv[2].encode()\n${calls.join('\n')}\n`;
  const { status, stdout, error } = spawnSync('python3', ['-c', program, header, body], { encoding: 'utf8' });
  if (error) return console.warn(`The Python function of docs/webhooks.md is not run: ${error.message}`);
  expect([status, stdout]).toEqual([0, 'True\nFalse\nFalse\nFalse\n']);
}
