import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createToken } from '../src/manage/admin/api/tokens.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { sendWebhook } from '../src/operate/notifications/webhooks/webhook.ts';
import { rowOf } from '../src/money/requests/request-record.ts';
import { openStore } from '../src/platform/store/store.ts';
import { answer } from '../test/fakes/fake-provider.ts';
import { recordWith } from '../test/fixtures/requests/record.ts';
import { command } from '../test/gateways/command.ts';
import { joined, model, startTestGateway } from '../test/gateways/gateway.ts';
import { putStore } from '../test/stores/made-store.ts';
import { startTranslatingGateway } from '../test/translation/translating-gateway.ts';
import { codeBlocks } from './code-blocks.ts';

// Blocks that no shell runs: what they show is compared with the behaviour of the code.

const blocks = codeBlocks(['README.md', 'docs/*.md']).filter(({ mark }) => mark === '');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function shown(page: string, language: string): readonly string[] {
  const texts = blocks.filter((block) => block.page === page && block.language === language).map(({ text }) => text);
  expect(texts, `${page} ${language}`).not.toEqual([]);
  return texts;
}

function shownJson(page: string): readonly Record<string, unknown>[] {
  return shown(page, 'json').map((text) => JSON.parse(text) as Record<string, unknown>);
}

test('a failing command prints the JSON of README.md', async () => {
  const data = join(folder, 'data');
  await (await openStore({ data })).close();
  const { err } = await command('keys', 'show', 'laptop', '--json', '--data', data);
  expect(shownJson('README.md')).toEqual([JSON.parse(err)]);
});

test('reconcile prints the comparison of docs/prices.md', async () => {
  const data = join(folder, 'books');
  await putStore(data);
  const store = await openStore({ data });
  const attempt = { upstream: 'acme', model: 'large', credential: 0, waitMs: 0, beganMs: 5, endedMs: 100 };
  const first = {
    startedAt: Date.parse('2026-11-01T12:00:01.074Z'),
    promptTokens: 40_000,
    completionTokens: 0,
    providerCost: 50_000_000n,
    cost: 62_500_000n,
    attemptCount: 2,
    attempts: [{ ...attempt, errorCase: 'upstream-failed' as const, endedMs: 50 }, attempt],
  };
  const others = {
    ...first,
    promptTokens: 1_114_000,
    cachedTokens: 81_000,
    completionTokens: 52_310,
    providerCost: 1_905_600_000n,
    cost: 2_382_000_000n,
    attemptCount: 1,
    attempts: [attempt],
  };
  const records = [
    recordWith({ id: '20261101120001074f7phrwhr2u', ...first }),
    recordWith({ id: 'others', ...others }),
  ];
  await store.db.insertInto('requests').values(records.map(rowOf)).execute();
  await store.close();
  await command('upstreams', 'add', '--preset', 'openai', '--name', 'acme', '--data', data);
  const invoice =
    'day,model,input_tokens,cached_tokens,output_tokens,cost\n2026-11-01,large,1204000,81000,52310,2.0181\n';
  writeFileSync(join(folder, 'usage.csv'), invoice);
  const [line = ''] = shown('docs/prices.md', 'sh');
  const [, ...words] = line.trim().replace('usage.csv', join(folder, 'usage.csv')).split(' ');
  expect(await command(...words, '--data', data)).toEqual({
    status: 1,
    out: shown('docs/prices.md', 'text')[1],
    err: '',
  });
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
