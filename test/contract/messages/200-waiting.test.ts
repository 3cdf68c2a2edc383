import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, endings, finish, gate, sse, usage } from '../../fakes/fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { messageLife } from '../../message-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    waiting: { hold_headers: '50ms', keep_alive_every: '20ms' },
  }));
});
afterAll(() => gateway.stop());

/** Reads a message stream and calls back once it contains this number of pings. */
async function send(pings: number, onPings: () => void): Promise<string> {
  const body = { model: 'other', max_tokens: 10, stream: true, messages: [{ role: 'user', content: 'hello' }] };
  const response = await fetch(`${gateway.url}/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.split('event: ping').length > pings) onPings();
  }
  return text;
}

test('a waiting client gets pings, and then a complete message', async () => {
  const ready = gate();
  gateway.provider.respond(
    'other',
    sse([
      ready.opened,
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hi' }),
      finish('stop'),
      usage(3, 1),
      '[DONE]',
    ]),
  );
  const { message, pings } = messageLife(await send(2, ready.open));
  expect(pings).toBeGreaterThan(1);
  expect(message.content).toMatchObject([{ type: 'text', text: 'Hi' }]);
});

test('a failure after status 200 is an error event, and the last event', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([opened, endings.reset]));
  const { error, pings } = messageLife(await send(1, open));
  expect(pings).toBeGreaterThan(0);
  expect(error).toMatchObject({ type: 'error', error: { type: 'upstream_error', code: expect.any(String) } });
});
