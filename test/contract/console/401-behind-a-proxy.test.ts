import { afterEach, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
let pauses: number[];
afterEach(() => gateway.stop());

async function start(trusted_proxies: readonly string[]): Promise<void> {
  pauses = [];
  const pause = async (ms: number): Promise<void> => void pauses.push(ms);
  const listen = { host: '127.0.0.1', port: 0, trusted_proxies };
  gateway = await startTestGateway((base) => ({ ...base, listen }), { pause });
}

/** Tries one wrong password with many names. The test acts as the proxy. */
async function guesses(count: number, names: string, headers: Record<string, string>): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const body = { email: `${names}-${index}@example.com`, password: 'a wrong password' };
    const reply = await gateway.post('/auth/sign-in', body, { origin: gateway.url, ...headers });
    expect(reply.status).toBe(401);
  }
}

/** More names than an address may fail for before it is throttled. */
const many = 32;

test('behind a trusted proxy each client is throttled for its own guesses', async () => {
  await start(['10.9.0.0/16', '127.0.0.1']);
  await guesses(many, 'a', { 'x-forwarded-for': '1.2.3.4, 198.51.100.7, 10.9.8.7' });
  expect(pauses.length).toBeGreaterThan(0);
  pauses = [];
  await guesses(3, 'b', { 'x-forwarded-for': '198.51.100.8' });
  await guesses(3, 'c', { forwarded: 'for=198.51.100.9' });
  expect(pauses).toEqual([]);
  await guesses(1, 'd', { 'x-forwarded-for': '5.6.7.8, 198.51.100.7' });
  expect(pauses).toHaveLength(1);
});

test('forwarding headers of other addresses are ignored', async () => {
  await start(['10.9.0.0/16']);
  for (let client = 0; client < many; client += 1) {
    await guesses(1, `e${client}`, { 'x-forwarded-for': `198.51.100.${client}` });
  }
  expect(pauses.length).toBeGreaterThan(0);
});
