import { afterEach, expect, test } from 'vitest';
import { expectAtRest } from '../at-rest.ts';
import { answer, chunk, endings, sse } from '../fakes/fake-provider.ts';
import { joined, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

test.each([4, 8])('an account whose answers never end cannot take the last of %i slots', async (slots) => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      { name: 'one', kind: 'openai', base_url: provider.url, max_concurrency: slots, timeouts: patientTimeouts },
    ],
    models: ['endless', 'short'].map((id) => model(id, { routes: [{ upstream: 'one' }] })),
    accounts: ['tester', 'peer'].map((name) => ({ name, package: 'standard', credit: '1000.00' })),
  }));
  gateway.provider.respond('endless', sse([chunk({ content: 'and so on' }), endings.hang]));
  gateway.provider.respond('short', answer('served'));
  const key = await gateway.newKey({ account: 'peer' });
  const client = new AbortController();
  const body = JSON.stringify({ model: 'endless', messages: [{ role: 'user', content: 'x' }] });
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' };
  const endless = Array.from({ length: 2 * slots }, () =>
    fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body, signal: client.signal })
      .then((response) => response.text())
      .catch(() => 'left'),
  );
  const load = () => gateway.gateway.alive();
  const allButOne = { answers: slots - 1, waiting: slots + 1 };
  await expect.poll(load, { message: 'endless answers have all slots but one' }).toMatchObject(allButOne);
  for (let i = 0; i < 3; i += 1) {
    const reply = await gateway.chat({ model: 'short' }, { authorization: `Bearer ${key}` });
    expect(joined(reply)).toBe('served');
  }
  await expect.poll(load, { message: 'the last slot is free again' }).toMatchObject(allButOne);
  client.abort();
  expect(new Set(await Promise.all(endless))).toEqual(new Set(['left']));
});
