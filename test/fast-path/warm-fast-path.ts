import { Agent } from 'node:http';
import { expect, type MockInstance, vi } from 'vitest';
import { FastPath } from '../../src/fast-path/fast-path.ts';
import { chat } from '../chat-client.ts';
import { eventually } from '../eventually.ts';
import { answer } from '../fake-provider.ts';
import type { TestGateway } from '../gateway.ts';
import { makeKey } from '../keys.ts';
import { rawExchange } from '../raw-client.ts';

/** Every request that the fast path was offered, and whether the fast path took it; to be called before the first one. */
export function watchedFastPath(): MockInstance<FastPath['take']> {
  return vi.spyOn(FastPath.prototype, 'take');
}

/** Whether the fast path took the last request it was offered. */
export function isInFastPath(): boolean {
  return watchedFastPath().mock.results.at(-1)?.value === true;
}

/**
 * Waits until the gateway has heard of every change made so far. The news of a new key makes the gateway look that key up
 * again, so a request that comes right after the news takes the slow path.
 */
async function newsHeard({ gateway, port }: TestGateway): Promise<void> {
  const { id, secret } = await makeKey(gateway, { account: 'tester', name: 'passing' });
  // On a connection of its own: the front serves no plain request on a connection that has carried a GET.
  const head = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n\r\n`;
  const status = async () => (await rawExchange(port, head)).status;
  expect(await status()).toBe(200);
  // Without news of the change: the gateway finds it when it has heard that the key is new.
  await gateway.store.db.updateTable('api_keys').set({ revoked_at: 1 }).where('id', '=', id).execute();
  await eventually(async () => expect(await status(), 'the gateway has heard of a new key').toBe(401));
}

/** Has the gateway know the key and set money aside: from then on requests with the key take the fast path. */
export async function warmFastPath(gateway: TestGateway, model: string, key = gateway.key): Promise<void> {
  await newsHeard(gateway);
  gateway.provider.respond(model, answer('warm'));
  // On one connection that carries nothing else: the fast path takes no request from one that has carried an unusual one.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  // On a slow machine the money that one request had leased may have been given back before the next one.
  await eventually(async () => {
    expect(await chat({ ...gateway, key, model, agent }).over).toMatchObject({ status: 200, isDone: true });
    expect(isInFastPath(), 'the fast path takes a request of a key that it knows').toBe(true);
  });
  agent.destroy();
}
