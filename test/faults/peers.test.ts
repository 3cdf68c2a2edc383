import { afterEach, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { answer, json } from '../fake-provider.ts';
import { type ConfigChange, joined, model, startTestGateway, type TestGateway } from '../gateway.ts';
import { slowClock } from '../slow-clock.ts';

let gateway: TestGateway;
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

/** Two models at one upstream with one credential, each asked for by an account of its own. */
async function start(places: number): Promise<void> {
  const config: ConfigChange = (base, provider) => ({
    ...base,
    upstreams: [{ name: 'one', kind: 'openai', base_url: provider.url, max_concurrency: places }],
    models: [model('resting', { routes: [{ upstream: 'one' }] }), model('lively', { routes: [{ upstream: 'one' }] })],
    accounts: ['tester', 'neighbour'].map((name) => ({ name, package: 'standard', credit: '1000.00' })),
  });
  // The minute that the provider asks for lasts ten: the model rests for the whole test, however slow the machine is.
  gateway = await startTestGateway(config, { clock: slowClock(10) });
}

/** As many clients as asked for, all of whom are made to wait by the provider; they leave when they are told to. */
function restingClients(count: number): { readonly leave: () => Promise<void>; readonly ended: () => number } {
  const client = new AbortController();
  let ended = 0;
  const replies = Array.from({ length: count }, async () => {
    const body = JSON.stringify({ model: 'resting', messages: [{ role: 'user', content: 'x' }] });
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
    const asked = { method: 'POST', headers, body, signal: client.signal };
    const reply = fetch(`${gateway.url}/v1/chat/completions`, asked).then((response) => response.text());
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
  ['one place', 1, 1],
  ['one place and a crowd', 1, 30],
  ['four places and a crowd', 4, 30],
])('with %s, a model that is asked to wait does not make its peer wait', async (_what, places, clients) => {
  await start(places);
  gateway.provider.respond('resting', json(429, { error: { message: 'slow down' } }, { 'retry-after': '60' }));
  gateway.provider.respond('lively', answer('not my quarrel'));
  const key = await gateway.newKey({ account: 'neighbour' });
  const resting = restingClients(clients);
  await gateway.provider.call('resting', Math.min(clients, 3) - 1).finished;
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'all clients of the resting model wait' })
    .toMatchObject({ answers: 0, waiting: clients });
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => gateway.chat({ model: 'lively' }, { authorization: `Bearer ${key}` })),
  );
  for (const reply of replies) expect(joined(reply)).toBe('not my quarrel');
  // The answers came while everyone who had been refused was still waiting.
  expect(resting.ended()).toBe(0);
  expect(gateway.gateway.alive()).toMatchObject({ answers: 0, waiting: clients });
  await resting.leave();
});
