import { Agent } from 'node:http';
import { expect, type MockInstance, vi } from 'vitest';
import { FastPath } from '../../src/serving/fast-path/fast-path.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer } from '../fakes/fake-provider.ts';
import type { TestGateway } from '../gateways/gateway.ts';
import { makeKey } from '../keys.ts';
import { rawExchange } from '../raw-client.ts';

/** Spies on the fast path: one result for each request, true if the fast path served it. Call before the first request. */
export function watchedFastPath(): MockInstance<FastPath['tryServe']> {
  return vi.spyOn(FastPath.prototype, 'tryServe');
}

/** Whether the fast path served the last request. */
export function isInFastPath(): boolean {
  return watchedFastPath().mock.results.at(-1)?.value === true;
}

/**
 * Waits until the gateway has received all change events so far. The event of a new key makes the gateway read the
 * key again, so a request right after the event takes the slow path.
 */
async function changesReceived({ gateway, port }: TestGateway): Promise<void> {
  const { id, secret } = await makeKey(gateway, { account: 'tester', name: 'passing' });
  // On a new connection: the acceptor serves no simple request on a connection after a GET.
  const head = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n\r\n`;
  const status = async () => (await rawExchange(port, head)).status;
  expect(await status()).toBe(200);
  // This change has no event. The gateway sees it when it receives the event of the new key and reads the key again.
  await gateway.store.db.updateTable('api_keys').set({ revoked_at: 1 }).where('id', '=', id).execute();
  await eventually(async () => expect(await status(), 'the gateway has received the event of a new key').toBe(401));
}

/** Makes the gateway cache the key and lease money, so that further requests with the key take the fast path. */
export async function warmFastPath(gateway: TestGateway, model: string, key = gateway.key): Promise<void> {
  await changesReceived(gateway);
  gateway.provider.respond(model, answer('warm'));
  // On one new connection: after an unusual request a connection never uses the fast path again.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // On a slow machine the account lease of one request may be returned before the next one.
  await eventually(async () => {
    expect(await chat({ ...gateway, key, model, agent }).over).toMatchObject({ status: 200, isDone: true });
    expect(isInFastPath(), 'the fast path serves a request with a cached key').toBe(true);
  });
  agent.destroy();
}
