import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { answer, chunk, gate, sse } from '../fake-provider.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';

let gateway: ServedGateway;
afterEach(() => gateway.clean());

/** Reads a streamed response until it has said something of this kind, and says which response it is. */
async function readUntil(type: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', input: 'hello', stream: true }),
  });
  let text = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.includes(`event: ${type}\n`)) break;
  }
  return /"id":"(resp_[^"]+)"/.exec(text)![1]!;
}

async function keptIds(): Promise<readonly string[]> {
  const store = await gateway.openStore();
  await expectSound(store);
  return (await store.db.selectFrom('kept_responses').select('id').execute()).map(({ id }) => id);
}

test('a response whose end was seen is there after the process was killed', async () => {
  gateway = await startServedGateway();
  gateway.provider.respond('other', answer('hello'));
  const id = await readUntil('response.completed');
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await keptIds()).toEqual([id]);
});

test('one that was killed between an item and its end is not', async () => {
  gateway = await startServedGateway();
  const { opened } = gate();
  gateway.provider.respond('other', sse([chunk({ role: 'assistant', content: 'hel' }), opened]));
  await readUntil('response.output_text.delta');
  gateway.signal('SIGKILL');
  await gateway.exit();
  expect(await keptIds()).toEqual([]);
});
