import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunk, endings, finish, gate, sse, usage } from '../../fake-provider.ts';
import { startTestGateway, type TestGateway } from '../../gateway.ts';
import { messageLife } from '../../message-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    waiting: { hold_headers: '50ms', keep_alive_every: '20ms' },
  }));
});
afterAll(() => gateway.stop());

const ask = () =>
  gateway.post(
    '/anthropic/v1/messages',
    { model: 'other', max_tokens: 10, stream: true, messages: [{ role: 'user', content: 'hello' }] },
    { 'x-api-key': gateway.key },
  );

test('who waits is sent pings, and then a whole message', async () => {
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
  const reply = ask();
  await gateway.provider.call('other').received;
  setTimeout(() => ready.open(), 300);
  const { message, pings } = messageLife((await reply).text);
  expect(pings).toBeGreaterThan(1);
  expect(message.content).toMatchObject([{ type: 'text', text: 'Hi' }]);
});

test('a failure after 200 is an error event, and the last', async () => {
  const { opened, open } = gate();
  gateway.provider.respond('other', sse([opened, endings.reset]));
  const reply = ask();
  await gateway.provider.call('other', 1).received;
  setTimeout(open, 300);
  const { error, pings } = messageLife((await reply).text);
  expect(pings).toBeGreaterThan(0);
  expect(error).toMatchObject({ type: 'error', error: { type: 'upstream_error', code: expect.any(String) } });
});
