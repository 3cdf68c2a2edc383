import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { chat } from '../chat-client.ts';
import { chunk, endings, gate, sse } from '../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

async function expectIdle(): Promise<void> {
  const served = () => gateway.gateway.inFlight();
  await expect
    .poll(served, { message: 'requests in flight after all clients left' })
    .toEqual({ exchanges: 0, answers: 0 });
}

function request(model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test('the gateway aborts the upstream call when a client disconnects before the first byte', async () => {
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  gateway.provider.respond('other', sse([endings.hang]));
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(request('other')));
  await gateway.provider.call('other', index).received;
  socket.destroy();
  await gateway.provider.call('other', index).aborted;
  await expectIdle();
});

test('the gateway aborts the upstream call when a client disconnects mid-answer, and records it', async () => {
  const index = gateway.provider.calls.filter(({ key }) => key === 'thinker').length;
  // Three tokens, both for the tokenizer and for the estimate that replaces it while it loads.
  gateway.provider.respond('thinker', sse([chunk({ role: 'assistant', content: 'one two six' }), endings.hang]));
  const running = chat({ ...gateway, model: 'thinker' });
  await running.waitForText('six');
  running.leave();
  await gateway.provider.call('thinker', index).aborted;
  await expectIdle();
  const { id } = await running.over;
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record of the client that left' })
    .toMatchObject({ clientGone: true, usageSource: 'counted', completionTokens: 3, status: 200 });
});

test('a client that half-closes still gets its answer', async () => {
  const { opened, open } = gate();
  gateway.provider.respond(
    'other',
    sse([
      chunk({ role: 'assistant', content: 'a' }),
      opened,
      chunk({ content: 'b' }, { finish_reason: 'stop' }),
      '[DONE]',
    ]),
  );
  const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
    socket.end(request('other')),
  );
  let seen = '';
  socket.on('data', (bytes) => {
    seen += bytes.toString();
    open();
  });
  await new Promise((resolve) => socket.once('end', resolve));
  expect(seen).toContain('[DONE]');
});

test('backpressure reaches the provider when a client stops reading', async () => {
  const piece = chunk({ content: 'x'.repeat(64 * 1024) });
  const flood = Array.from({ length: 2000 }, () => piece);
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: '' }), ...flood, endings.hang]));
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(request('other')));
  socket.pause();
  const call = await gateway.provider.call('other', index).received;
  // While the gateway reads, each poll finds that the provider has sent more.
  let last = 0;
  let idle = 0;
  const idlePolls = (): number => {
    idle = call.sentBytes === last && call.bufferedBytes > 0 ? idle + 1 : 0;
    last = call.sentBytes;
    return idle;
  };
  await expect
    .poll(idlePolls, { message: 'polls in a row in which the provider could send nothing more' })
    .toBeGreaterThan(20);
  expect(call.sentBytes).toBeLessThan((2000 * 64 * 1024) / 4);
  socket.destroy();
  await gateway.provider.call('other', index).aborted;
  await expectIdle();
});

test('a thousand clients that disconnect leave no request and few connections open', async () => {
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'one' }), endings.hang]));
  const before = gateway.provider.calls.length;
  for (let round = 0; round < 10; round++) {
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write(request('other')));
      socket.on('error', () => {});
      return socket;
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const [i, socket] of sockets.entries()) {
      if (i % 2 === 0) socket.destroy();
      else socket.once('data', () => socket.destroy());
    }
    await Promise.all(
      sockets.map(
        (socket) => new Promise((resolve) => (socket.destroyed ? resolve(0) : socket.once('close', resolve))),
      ),
    );
  }
  await expectIdle();
  expect(gateway.provider.calls.length).toBeGreaterThan(before);
  const open = () => gateway.provider.connections.open;
  await expect.poll(open, { message: 'connections to the provider that are open' }).toBeLessThan(70);
});
