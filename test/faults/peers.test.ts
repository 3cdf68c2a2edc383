import { afterEach, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { answer, json } from '../fakes/fake-provider.ts';
import { type ConfigChange, joined, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { slowClock } from '../clocks/slow-clock.ts';

let gateway: TestGateway;
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

/** Two models at one upstream with one credential. Each is used by a different account. */
async function start(slots: number): Promise<void> {
  const config: ConfigChange = (base, provider) => ({
    ...base,
    upstreams: [{ name: 'one', kind: 'openai', base_url: provider.url, max_concurrency: slots }],
    models: [
      model('cooling', { routes: [{ upstream: 'one' }] }),
      model('available', { routes: [{ upstream: 'one' }] }),
    ],
    accounts: ['tester', 'peer'].map((name) => ({ name, package: 'standard', credit: '1000.00' })),
  });
  // The provider's retry-after of one minute lasts ten here: the cooldown covers the whole test, even on a slow
  // machine.
  gateway = await startTestGateway(config, { clock: slowClock(10) });
}

/** Clients whose requests wait for the cooldown of the model. They disconnect on `leave()`. */
function waitingClients(count: number): { readonly leave: () => Promise<void>; readonly ended: () => number } {
  const client = new AbortController();
  let ended = 0;
  const replies = Array.from({ length: count }, async () => {
    const body = JSON.stringify({ model: 'cooling', messages: [{ role: 'user', content: 'x' }] });
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, signal: client.signal };
    const reply = fetch(`${gateway.url}/v1/chat/completions`, init).then((response) => response.text());
    await reply.catch(() => undefined);
    ended += 1;
  });
  return {
    ended: () => ended,
    leave: async () => {
      client.abort();
      await Promise.all(replies);
    },
  };
}

test.each([
  ['one slot and one client', 1, 1],
  ['one slot and 30 clients', 1, 30],
  ['four slots and 30 clients', 4, 30],
])('with %s, a model in cooldown does not delay another model of its upstream', async (_case, slots, clients) => {
  await start(slots);
  gateway.provider.respond('cooling', json(429, { error: { message: 'slow down' } }, { 'retry-after': '60' }));
  gateway.provider.respond('available', answer('served'));
  const key = await gateway.newKey({ account: 'peer' });
  const waiting = waitingClients(clients);
  await gateway.provider.call('cooling', Math.min(clients, 3) - 1).finished;
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'all clients of the model in cooldown wait' })
    .toMatchObject({ answers: 0, waiting: clients });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => gateway.chat({ model: 'available' }, { authorization: `Bearer ${key}` })),
  );
  for (const reply of replies) expect(joined(reply)).toBe('served');
  // The answers came while all requests for the model in cooldown were still waiting.
  expect(waiting.ended()).toBe(0);
  expect(gateway.gateway.alive()).toMatchObject({ answers: 0, waiting: clients });
  await waiting.leave();
});
