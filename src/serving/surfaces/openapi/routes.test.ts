import { expect, test } from 'vitest';
import type { Exchange } from '../../http/exchange.ts';
import { documentRoutes } from './routes.ts';

const settings = { version: '0.1.0', messagesPrefix: '/anthropic', supportEmail: undefined };
const usualRoutes = documentRoutes(() => settings);

test('the document is sent without a key', () => {
  expect(get('/openapi.json')).toMatchObject({ status: 200, contentType: 'application/json' });
});

test('the document is JSON and names the host of the request, port included', () => {
  expect(JSON.parse(get('/openapi.json', { host: 'Gateway.example:8443' }).body)).toMatchObject({
    openapi: '3.1.0',
    servers: [{ url: 'http://gateway.example:8443' }],
  });
});

test('each host gets its own address', () => {
  const routes = documentRoutes(() => settings);
  for (const host of ['one.example', '[::1]:8080', 'two.example', 'one.example']) {
    const { body } = get('/openapi.json', { host }, routes);
    expect(JSON.parse(body).servers).toEqual([{ url: `http://${host}` }]);
    expect(body).not.toContain('gateway.invalid');
  }
});

test('behind a proxy that terminates TLS the address has https', () => {
  const { body } = get('/openapi.json', { host: 'gateway.example', 'x-forwarded-proto': 'https' });
  expect(body).toContain('"https://gateway.example"');
});

test.for([
  `"><script>alert(1)</script>`,
  'a.example/"+alert(1)+"',
  '$(reboot).example',
  'a.example`id`',
  `a.example' --data @/etc/passwd '`,
  '$&',
  'a'.repeat(300),
  '',
])('the hostile host %j is not shown', (host) => {
  const { body } = get('/openapi.json', { host });
  expect(JSON.parse(body).servers).toEqual([{ url: 'http://localhost:8080' }]);
  expect(body).not.toContain(`http://${host}/`);
});

test('a reload of the settings takes effect at once', () => {
  let current: Parameters<typeof documentRoutes>[0] = () => settings;
  const routes = documentRoutes(() => current());
  expect(get('/openapi.json', {}, routes).body).not.toContain('help@example.com');
  current = () => ({ ...settings, supportEmail: 'help@example.com' });
  expect(get('/openapi.json', {}, routes).body).toContain('help@example.com');
});

interface Sent {
  status: number;
  contentType: string;
  body: string;
  headers: readonly string[];
}

function get(path: string | undefined, headers: Record<string, string> = {}, routes = usualRoutes): Sent {
  const sent: Sent[] = [];
  const exchange: Exchange = {
    id: 'r1',
    method: 'GET',
    path: path ?? '',
    address: '127.0.0.1',
    isSecure: false,
    host: '',
    query: new URLSearchParams(),
    gone: new AbortController().signal,
    header: (name) => headers[name],
    send: (status, contentType, body, more = []) =>
      sent.push({ status, contentType, body: String(body), headers: more }),
    json: never,
    fail: never,
    readJson: never,
    readBytes: never,
    readPieces: never,
    openEventStream: never,
    watchBodies: never,
  };
  void routes.find((route) => route.path === path && route.method === 'GET')?.handle(exchange, {});
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

function never(): never {
  throw new Error('These routes send whole texts and nothing else.');
}
