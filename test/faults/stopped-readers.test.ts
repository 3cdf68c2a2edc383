import { afterEach, expect, test } from 'vitest';
import { chat } from '../chat-client.ts';
import { answer, chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { stoppedReader } from '../stopped-reader.ts';

let gateway: TestGateway;
afterEach(() => gateway.stop());

const slots = 2;
/** More than the kernel buffers for a client that does not read. */
const long = Array.from({ length: 400 }, () => chunk({ content: 'a'.repeat(50_000) }));

test('clients that stop reading are disconnected despite keep-alive comments, and their slots serve others', async () => {
  gateway = await startTestGateway((base, { url }) => ({
    ...base,
    upstreams: [{ name: 'fake', kind: 'openai', base_url: url, max_concurrency: slots }],
    models: [model('long'), model('short')],
    limits: { reader_stall_timeout: '2s' },
    waiting: { hold_headers: '100ms', keep_alive_every: '100ms' },
    accounts: ['tester', 'light'].map((name) => ({ name, package: 'standard', credit: '1000.00' })),
  }));
  const { opened, open } = gate();
  const begun = chunk({ content: 'one' });
  gateway.provider.respond('long', sse([begun, opened, ...long, finish('stop'), usage(10, 5_000_000), '[DONE]']));
  gateway.provider.respond('short', answer('hello'));
  const stopped = await Promise.all(Array.from({ length: slots }, () => stoppedReader({ ...gateway, model: 'long' })));
  expect(gateway.gateway.alive().answers).toBe(slots);
  const light = chat({ port: gateway.port, key: await gateway.newKey({ account: 'light' }), model: 'short' });
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'the light account waits' }).toBe(1);
  open();
  expect(await light.over).toMatchObject({ status: 200, isDone: true });
  await expect
    .poll(() => gateway.gateway.alive(), { message: 'nothing is left of the answers' })
    .toMatchObject({ answers: 0, holds: 0 });
  for (const client of stopped) client.destroy();
  await expect.poll(disconnected, { message: 'requests whose clients were disconnected' }).toHaveLength(slots);
  for (const { cost } of await disconnected()) expect(Number(cost)).toBeGreaterThan(0);
});

/** The records of requests whose client did not get the complete answer. */
function disconnected() {
  return gateway.gateway.store.db.selectFrom('requests').select('cost').where('client_gone', '=', 1).execute();
}
