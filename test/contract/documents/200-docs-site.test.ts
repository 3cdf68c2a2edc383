import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { rawExchange } from '../../raw-client.ts';

const inline = 'document.title = "It"';
let gateway: TestGateway;
let unbuilt: TestGateway;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-docs-'));
  const site = join(folder, 'site');
  await mkdir(join(site, 'assets'), { recursive: true });
  await mkdir(join(site, 'start'));
  await writeFile(join(folder, 'secret.md'), 'CANARY');
  await writeFile(join(site, '.hidden.md'), 'CANARY');
  await writeFile(
    join(site, 'index.html'),
    `<title>Home</title><script>${inline}</script><script src="/docs/assets/a.js"></script>`,
  );
  await writeFile(join(site, 'start/run.html'), '<title>Run</title>');
  await writeFile(join(site, 'start/run.md'), '# Run');
  await mkdir(join(site, 'zh'));
  await writeFile(join(site, 'zh/index.html'), '<title>Chinese home</title>');
  await writeFile(join(site, '404.html'), '<title>Missing</title>');
  await writeFile(join(site, 'llms.txt'), '# All pages');
  await writeFile(join(site, 'assets/a.js'), '1');
  gateway = await startTestGateway(undefined, { docs: site });
  unbuilt = await startTestGateway(undefined, { docs: join(folder, 'none') });
});
afterAll(async () => {
  await Promise.all([gateway.stop(), unbuilt.stop()]);
  await rm(folder, { recursive: true });
});

test.each([
  ['/docs', 'text/html', 'Home'],
  ['/docs/', 'text/html', 'Home'],
  ['/docs/start/run', 'text/html', 'Run'],
  ['/docs/start/run.md', 'text/markdown', '# Run'],
  ['/docs/zh', 'text/html', 'Chinese home'],
  ['/docs/zh/', 'text/html', 'Chinese home'],
  ['/docs/llms.txt', 'text/plain', '# All pages'],
])('%s is a file of the site', async (path, contentType, text) => {
  const reply = await gateway.get(path);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe(`${contentType}; charset=utf-8`);
  expect(reply.text).toContain(text);
  expectGatewayHeaders(reply);
});

test('a page may run its own inline scripts and no others', async () => {
  const { headers } = await gateway.get('/docs');
  const digest = createHash('sha256').update(inline).digest('base64');
  expect(headers.get('content-security-policy')).toContain(`script-src 'self' 'sha256-${digest}';`);
  const { headers: plain } = await gateway.get('/docs/start/run');
  expect(plain.get('content-security-policy')).toContain("script-src 'self';");
});

test('files with a digest in their name are cached permanently, pages are not', async () => {
  expect((await gateway.get('/docs/assets/a.js')).headers.get('cache-control')).toMatch(/immutable/);
  expect((await gateway.get('/docs')).headers.get('cache-control')).toBe('no-cache');
});

test.each(['/docs/nope', '/docs/.hidden.md', '/docs/assets', '/docs/start/run.exe'])(
  '%s does not exist',
  async (path) => {
    const reply = await gateway.get(path);
    expectEnvelope(reply, { status: 404, code: 'not_found', type: 'gateway_error' });
  },
);

test.each(['/docs/nope', '/docs/nope/', '/docs/nope.md'])('a browser gets a page for %s', async (path) => {
  const reply = await gateway.get(path, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
  expect([reply.status, reply.text]).toEqual([404, '<title>Missing</title>']);
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expectGatewayHeaders(reply);
  expectEnvelope(await unbuilt.get(path, { accept: 'text/html' }), {
    status: 404,
    code: 'not_found',
    type: 'gateway_error',
  });
});

test.each(['/docs/../secret.md', '/docs/%2e%2e/secret.md', '/docs/..%2fsecret.md', '/docs/start/../../secret.md'])(
  '%s does not leave the folder',
  async (path) => {
    const reply = await rawExchange(gateway.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(reply.body).not.toContain('CANARY');
    expect([400, 404]).toContain(reply.status);
  },
);

test('a gateway without the built site says how to build it, and serves the description of the API', async () => {
  const reply = await unbuilt.get('/docs');
  expect(reply.status).toBe(503);
  expect(reply.text).toContain('npm run build:docs');
  expect((await unbuilt.get('/openapi.json')).status).toBe(200);
});
