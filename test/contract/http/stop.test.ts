import { expect, test } from 'vitest';
import { answer, chunk, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { RawClient } from '../../raw-client.ts';
import { get, post } from './http-server.ts';

/** The acceptor hands requests with connection headers to Node's server. */
const servers = [
  ['the acceptor', ''],
  ['Node’s server', 'Proxy-Connection: keep-alive\r\n'],
] as const;

function chatRequest({ key }: TestGateway, headers: string, model = 'other'): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  return post(
    '/v1/chat/completions',
    body,
    `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n${headers}`,
  );
}

test.each(servers)('a gateway that stops loses no request on a connection of %s', async (_name, headers) => {
  const gateway = await startTestGateway((base) => ({ ...base, waiting: { hold_headers: '5m' } }));
  const [silent, streamed] = [gate(), gate()];
  const rest = [finish('stop'), usage(1, 1), '[DONE]'];
  gateway.provider.respond('plain', sse([silent.opened, chunk({ role: 'assistant', content: 'late' }), ...rest]));
  gateway.provider.respond(
    'other',
    sse([chunk({ role: 'assistant', content: 'one' }), streamed.opened, ...rest]),
    answer('two'),
  );
  const [waiting, streaming, idle] = await Promise.all([0, 1, 2].map(() => RawClient.connect(gateway.port)));
  waiting!.send(chatRequest(gateway, headers, 'plain'));
  streaming!.send(chatRequest(gateway, headers));
  await streaming!.received('one');
  await gateway.provider.call('plain').received;
  idle!.send(get('/v1/models', `Authorization: Bearer ${gateway.key}\r\n`));
  expect((await idle!.response()).headers.connection).toBe('keep-alive');
  const stopped = gateway.gateway.stop({ graceMs: 600_000 });
  // The gateway cannot finish while an answer waits for its provider.
  streamed.open();
  expect(await streaming!.response()).toMatchObject({ status: 200, headers: { connection: 'keep-alive' } });
  streaming!.send(chatRequest(gateway, headers));
  idle!.send(get('/v1/models', `Authorization: Bearer ${gateway.key}\r\n`));
  for (const client of [streaming!, idle!]) {
    expect(await client.response()).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect([await client.rest(), client.error]).toEqual(['', undefined]);
  }
  silent.open();
  const last = await waiting!.response();
  expect(last).toMatchObject({ status: 200, headers: { connection: 'close' } });
  expect(last.body).toContain('[DONE]');
  for (const client of [waiting!, streaming!, idle!]) client.destroy();
  await stopped;
  await gateway.provider.close();
});
