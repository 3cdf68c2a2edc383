import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../command-line.ts';
import { registerUpstreams } from './upstreams.ts';

let printed: { out: string; err: string };
let server: Server;
let reply: { status: number; body: unknown };
let received: { path: string | undefined; authorization: string | undefined };

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  printed = { out: '', err: '' };
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed.out += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed.err += `${line}\n`));
  vi.stubEnv('CHAT_GATEWAY_TOKEN', undefined);
  server = createServer((request, response) => {
    received = { path: request.url, authorization: request.headers.authorization };
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  await new Promise((resolve) => server.close(resolve));
});

/** Time at which the commands run. */
const now = Date.UTC(2026, 2, 4);
const healthy = {
  index: 0,
  state: 'healthy',
  ejected_until: null,
  cooldown_until: null,
  running: 2,
  latency_ms: 321,
  consecutive_failures: 0,
  last_error: null,
  last_error_at: null,
};
const disabled = {
  ...healthy,
  index: 1,
  state: 'disabled',
  ejected_until: new Date(now + 120_000).toISOString(),
  last_error: 'upstream acme answered 401',
  last_error_at: new Date(now - 60_000).toISOString(),
};
const health = {
  upstreams: [{ name: 'acme', running: 3, waiting: 4, limit: 64, credentials: [healthy, disabled], processes: [] }],
  retries: { in_use: 1, limit: 3 },
};

const cli = (line: string) => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runCommandLine(`node chat-gateway upstreams health --url ${url} ${line}`.trim().split(/\s+/), [
    registerUpstreams,
  ]);
};

test('upstreams health prints one line per credential', async () => {
  reply = { status: 200, body: health };
  expect(await cli('--token gwa_live_x')).toBe(0);
  expect(received).toEqual({ path: '/admin/v1/upstreams/health', authorization: 'Bearer gwa_live_x' });
  expect(printed.out).toMatch(/acme +0 +healthy +2 \(3 of 64\) +4 +321 ms +0/);
  expect(printed.out).toMatch(/acme +1 +disabled, retry in 2 minutes .*1 minute ago: upstream acme answered 401/);
  expect(printed.out).toContain('Retries in flight: 1 of 3');
});

test('upstreams health prints the lease and heartbeat of each process that shares an upstream', async () => {
  const one = {
    process: 'a',
    host: 'east',
    pid: 7,
    worker: 2,
    lease: 40,
    running: 3,
    waiting: 0,
    heartbeat_age_ms: 300,
  };
  const other = {
    ...one,
    process: 'b',
    host: 'west',
    worker: null,
    lease: 20,
    running: 1,
    waiting: 5,
    heartbeat_age_ms: 65_000,
  };
  reply = { status: 200, body: { ...health, upstreams: [{ ...health.upstreams[0], processes: [one, other] }] } };
  expect(await cli('--token gwa_live_x')).toBe(0);
  expect(printed.out).toMatch(/acme +east worker 2 \(pid 7\) +3 +40 +0 +just now/);
  expect(printed.out).toMatch(/acme +west \(pid 7\) +1 +20 +5 +none for \d/);
});

test('upstreams health --json prints the document of the API, with a token from the environment', async () => {
  reply = { status: 200, body: health };
  vi.stubEnv('CHAT_GATEWAY_TOKEN', 'gwa_live_env');
  expect(await cli('--json')).toBe(0);
  expect(JSON.parse(printed.out)).toEqual(health);
  expect(received.authorization).toBe('Bearer gwa_live_env');
});

test.each([
  ['no token', '', 200, health, 2, 'No admin token was given.\nCreate one with `chat-gateway admin-tokens create'],
  ['a rejected token', '--token x', 401, {}, 1, 'rejected the admin token.'],
  [
    'a server that is not a gateway',
    '--token x',
    200,
    { hello: 'world' },
    1,
    'returned status 200, but not the response of a gateway of this version.',
  ],
] as const)('with %s, upstreams health prints what to do', async (_case, line, status, body, exitCode, text) => {
  reply = { status, body };
  expect(await cli(line)).toBe(exitCode);
  expect(printed.err).toContain(text);
});
