import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectEnvelope, expectGatewayHeaders } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { rawExchange } from '../../raw-client.ts';

let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>It</title>');
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'assets', 'index-abc123.js'), `console.log(${JSON.stringify('x'.repeat(2000))})`);
  await writeFile(join(folder, 'assets', 'index-abc123.css'), 'body{}');
  await writeFile(join(folder, 'secret.txt'), 'CANARY');
  await writeFile(join(folder, 'assets', '.hidden.js'), 'CANARY');
  gateway = await startTestGateway(undefined, { dashboard: folder });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true });
});

test.each(['/', '/app', '/app/keys', '/app/requests/20260101', '/app/a/b/c'])('%s is the page', async (path) => {
  const reply = await gateway.get(path);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expectSafe(reply.headers);
  expectGatewayHeaders(reply);
});

test('built files are cached permanently, and compressed if the client accepts it', async () => {
  const uncompressed = await gateway.get('/assets/index-abc123.js', { 'accept-encoding': 'identity' });
  expect(uncompressed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(uncompressed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(uncompressed.headers.get('vary')).toBe('accept-encoding');
  expectSafe(uncompressed.headers);
  for (const encoding of ['br', 'gzip']) {
    const reply = await gateway.get('/assets/index-abc123.js', { 'accept-encoding': encoding });
    expect(reply.headers.get('content-encoding')).toBe(encoding);
    expect(Number(reply.headers.get('content-length'))).toBeLessThan(uncompressed.text.length);
    expect(reply.text).toBe(uncompressed.text);
  }
  const refused = await gateway.get('/assets/index-abc123.js', { 'accept-encoding': 'br;q=0, gzip;q=0.0' });
  expect(refused.headers.get('content-encoding')).toBeNull();
  const css = await gateway.get('/assets/index-abc123.css');
  expect(css.headers.get('content-type')).toBe('text/css; charset=utf-8');
  expect((await gateway.get('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml');
});

test('files compressed by the build are sent unchanged, and are not served under their own names', async () => {
  const script = join(folder, 'assets', 'index-def456.js');
  await writeFile(script, 'plain');
  await writeFile(`${script}.br`, brotliCompressSync('by the build, in Brotli'));
  await writeFile(`${script}.gz`, gzipSync('by the build, in gzip'));
  const replyFor = async (encoding: string) => {
    const { text, headers } = await gateway.get('/assets/index-def456.js', { 'accept-encoding': encoding });
    return [text, headers.get('content-encoding'), headers.get('content-type'), headers.get('vary')];
  };
  const kind = ['text/javascript; charset=utf-8', 'accept-encoding'];
  expect(await replyFor('br, gzip')).toEqual(['by the build, in Brotli', 'br', ...kind]);
  expect(await replyFor('gzip')).toEqual(['by the build, in gzip', 'gzip', ...kind]);
  expect(await replyFor('identity')).toEqual(['plain', null, ...kind]);
  expect((await gateway.get('/assets/index-def456.js.br')).status).toBe(404);
});

test.each([
  '/assets/missing.js',
  '/assets/..%2fsecret.txt',
  '/assets/..%2f..%2fpackage.json',
  '/assets/%2e%2e%2fsecret.txt',
  '/assets/..%5csecret.txt',
  '/assets/.hidden.js',
  '/assets/../secret.txt',
  '/secret.txt',
  '/index.html',
  '/app/a/b/c/d',
])('%s is not found', async (path) => {
  const reply = await rawExchange(gateway.port, `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  expect(reply.status).toBe(404);
  expect(reply.body).toContain('"not_found"');
  expect(reply.body).not.toContain('CANARY');
});

test('an asset whose name contains a NUL is refused', async () => {
  const target = '/assets/index-abc123.js%00.css';
  const reply = await rawExchange(
    gateway.port,
    `GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  );
  expect(reply.status).toBe(400);
  expect(reply.body).not.toContain('CANARY');
});

test('paths of the API and unknown paths do not return the dashboard', async () => {
  expectEnvelope(await gateway.get('/nothing/here'), { status: 404, code: 'not_found', type: 'gateway_error' });
  expect((await gateway.get('/v1/models')).status).toBe(200);
  expect((await gateway.post('/app', {})).status).toBe(405);
});

test('without a build the page names the build command', async () => {
  const other = await startTestGateway(undefined, { dashboard: join(folder, 'none') });
  const reply = await other.get('/');
  await other.stop();
  expect(reply.status).toBe(503);
  expect(reply.text).toContain('npm run build:dashboard');
  expectSafe(reply.headers);
});

function expectSafe(headers: Headers): void {
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('permissions-policy')).toContain('camera=()');
}
